package main

import (
	"context"
	"fmt"

	"github.com/Azure/go-amqp"
)

const topic = "topic://go.prices"

// durable makes a durable subscription of a topic: the broker keeps its messages while nobody is attached.
func durable(ctx context.Context) error {
	conn, _, err := attach(ctx)
	if err != nil {
		return err
	}
	// To end the connection leaves the subscription; to close its link would end it.
	if err := conn.Close(); err != nil {
		return err
	}
	fmt.Println("subscribed, and away")

	if err := publishPrices(ctx, "8.90", "9.10", "9.40"); err != nil {
		return err
	}
	fmt.Println("3 prices published")

	conn, ledger, err := attach(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	for range 3 {
		message, err := ledger.Receive(ctx, nil)
		if err != nil {
			return err
		}
		fmt.Printf("received: %v\n", message.Value)
		if err := ledger.AcceptMessage(ctx, message); err != nil {
			return err
		}
	}
	if err := ledger.Close(ctx); err != nil { // the subscription and what it is owed are gone
		return err
	}
	fmt.Println("unsubscribed")
	return nil
}

// attach finds the subscription again by the container id and the name of the link, or makes it.
func attach(ctx context.Context) (*amqp.Conn, *amqp.Receiver, error) {
	conn, session, err := connect(ctx, "go-ledger")
	if err != nil {
		return nil, nil, err
	}
	receiver, err := session.NewReceiver(ctx, topic, &amqp.ReceiverOptions{
		Name:               "ledger",
		SourceDurability:   amqp.DurabilityUnsettledState,
		SourceExpiryPolicy: amqp.ExpiryPolicyNever,
		Credit:             10,
	})
	return conn, receiver, err
}

func publishPrices(ctx context.Context, prices ...string) error {
	conn, session, err := connect(ctx, "")
	if err != nil {
		return err
	}
	defer conn.Close()
	sender, err := session.NewSender(ctx, topic, nil)
	if err != nil {
		return err
	}
	for _, price := range prices {
		if err := sender.Send(ctx, durably(price), nil); err != nil {
			return err
		}
	}
	return nil
}
