// Command stream is a client for the cluster's tests, on go-amqp. It ends when its connection or its input does.
//
//	stream publish URL ADDRESS   sends each line of standard input, and prints it when it is accepted
//	stream consume URL ADDRESS   prints each message, "true " or "false " before it for redelivered, and accepts it
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/Azure/go-amqp"
)

const wait = 5 * time.Second
const idle = 3 * time.Second // a node that stands still is left

func main() {
	verb, url, address := os.Args[1], os.Args[2], os.Args[3]
	works := map[string]func(*amqp.Session, string) error{"publish": publish, "consume": consume}
	if err := run(works[verb], url, address); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(work func(*amqp.Session, string) error, url, address string) error {
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	conn, err := amqp.Dial(ctx, url, &amqp.ConnOptions{IdleTimeout: idle})
	if err != nil {
		return err
	}
	session, err := conn.NewSession(ctx, nil)
	if err != nil {
		return err
	}
	return work(session, address)
}

func publish(session *amqp.Session, address string) error {
	ctx := context.Background()
	sender, err := session.NewSender(ctx, address, nil)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		message := &amqp.Message{Header: &amqp.MessageHeader{Durable: true}, Value: lines.Text()}
		if err := sender.Send(ctx, message, nil); err != nil {
			return err
		}
		fmt.Println(lines.Text())
	}
	return lines.Err()
}

func consume(session *amqp.Session, address string) error {
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	ctx := context.Background()
	receiver, err := session.NewReceiver(ctx, address, &amqp.ReceiverOptions{Credit: 20})
	if err != nil {
		return err
	}
	for {
		message, err := receiver.Receive(ctx, nil)
		if err != nil {
			return err
		}
		redelivered := message.Header != nil && message.Header.DeliveryCount > 0
		body := string(message.GetData())
		if text, ok := message.Value.(string); ok {
			body = text
		}
		fmt.Println(redelivered, body)
		if err := receiver.AcceptMessage(ctx, message); err != nil {
			return err
		}
	}
}
