package main

import (
	"context"
	"fmt"

	"github.com/Azure/go-amqp"
)

const catalogue = "queue://go.catalogue"

// request asks and is answered over a temporary queue, which lives as long as the link of the one who asks.
func request(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, wait)
	defer stop()
	answered := make(chan error, 1)
	go func() { answered <- answer(ctx, map[string]string{"atlas": "8.90", "cookbook": "24.00"}) }()

	conn, session, err := connect(ctx, "")
	if err != nil {
		return err
	}
	defer conn.Close()
	replies, err := session.NewReceiver(ctx, "", &amqp.ReceiverOptions{DynamicAddress: true, Credit: 1})
	if err != nil {
		return err
	}
	requests, err := session.NewSender(ctx, catalogue, nil)
	if err != nil {
		return err
	}
	address := replies.Address()
	for _, article := range []string{"atlas", "cookbook"} {
		question := durably(article)
		question.Properties = &amqp.MessageProperties{ReplyTo: &address, CorrelationID: article}
		if err := requests.Send(ctx, question, nil); err != nil {
			return err
		}
		reply, err := replies.Receive(ctx, nil)
		if err != nil {
			return err
		}
		if err := replies.AcceptMessage(ctx, reply); err != nil {
			return err
		}
		fmt.Printf("%v: %v\n", reply.Properties.CorrelationID, reply.Value)
	}
	return <-answered
}

// answer replies to one question for each price.
func answer(ctx context.Context, prices map[string]string) error {
	conn, session, err := connect(ctx, "")
	if err != nil {
		return err
	}
	defer conn.Close()
	requests, err := session.NewReceiver(ctx, catalogue, &amqp.ReceiverOptions{Credit: 1})
	if err != nil {
		return err
	}
	replies, err := session.NewSender(ctx, "", nil) // to wherever a message says: the anonymous relay
	if err != nil {
		return err
	}
	for left := len(prices); left > 0; {
		question, err := requests.Receive(ctx, nil)
		if err != nil {
			return err
		}
		reply := &amqp.Message{
			Properties: &amqp.MessageProperties{
				To:            question.Properties.ReplyTo,
				CorrelationID: question.Properties.CorrelationID,
			},
			Value: prices[question.Value.(string)],
		}
		// Rejected where the temporary queue is gone: who has asked, in an earlier run, waits no more.
		if err := replies.Send(ctx, reply, nil); err == nil {
			left--
		}
		if err := requests.AcceptMessage(ctx, question); err != nil {
			return err
		}
	}
	return nil
}
