// Command examples shows Ringtable from Go, with go-amqp: go run . publish, compete, durable, request or reconnect.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/Azure/go-amqp"
)

const wait = 30 * time.Second

func main() {
	examples := map[string]func(context.Context) error{
		"publish":   publish,
		"compete":   compete,
		"durable":   durable,
		"request":   request,
		"reconnect": reconnect,
	}
	if len(os.Args) != 2 || examples[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: go run . publish|compete|durable|request|reconnect")
		os.Exit(2)
	}
	if err := examples[os.Args[1]](context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// connect opens a connection of its own, and a session on it. Durable subscriptions belong to a container id, which
// then has to be the same again; any other connection has none ("").
func connect(ctx context.Context, containerID string) (*amqp.Conn, *amqp.Session, error) {
	url := os.Getenv("AMQP_URL")
	if url == "" {
		url = "amqp://localhost:5672"
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	conn, err := amqp.Dial(ctx, url, &amqp.ConnOptions{ContainerID: containerID})
	if err != nil {
		return nil, nil, err
	}
	session, err := conn.NewSession(ctx, nil)
	if err != nil {
		conn.Close()
		return nil, nil, err
	}
	return conn, session, nil
}

// durably makes a durable message: the broker answers accepted once it has synced the message to disk.
func durably(value any) *amqp.Message {
	return &amqp.Message{Header: &amqp.MessageHeader{Durable: true}, Value: value}
}
