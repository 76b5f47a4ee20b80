package main

import (
	"context"
	"fmt"
)

// publish sends durable messages to a queue, and waits for the outcome of each.
func publish(ctx context.Context) error {
	conn, session, err := connect(ctx, "")
	if err != nil {
		return err
	}
	defer conn.Close()
	orders, err := session.NewSender(ctx, "queue://go.orders", nil)
	if err != nil {
		return err
	}
	for number := 1; number <= 3; number++ {
		message := durably(fmt.Sprintf("order %d", number))
		message.ApplicationProperties = map[string]any{"country": "PT"}
		// Returns once the message is on disk, or with the broker's reason for not storing it.
		if err := orders.Send(ctx, message, nil); err != nil {
			return err
		}
		fmt.Printf("accepted: order %d\n", number)
	}
	return nil
}
