package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/Azure/go-amqp"
)

const tasks = 20
const taskQueue = "queue://go.tasks"

// compete lets two consumers compete for the messages of one queue: each message goes to one of them.
func compete(ctx context.Context) error {
	conn, session, err := connect(ctx, "")
	if err != nil {
		return err
	}
	defer conn.Close()
	sender, err := session.NewSender(ctx, taskQueue, nil)
	if err != nil {
		return err
	}
	for number := int64(0); number < tasks; number++ {
		if err := sender.Send(ctx, durably(number), nil); err != nil {
			return err
		}
	}

	var done [2][]int64
	failures := make(chan error)
	for worker := range done {
		go func() { failures <- work(ctx, &done[worker]) }()
	}
	if err := errors.Join(<-failures, <-failures); err != nil {
		return err
	}

	fmt.Printf("the first has done %d tasks, the second %d\n", len(done[0]), len(done[1]))
	all := slices.Concat(done[0], done[1])
	slices.Sort(all)
	if len(all) != tasks || len(slices.Compact(all)) != tasks {
		return fmt.Errorf("not each once: %v", all)
	}
	fmt.Printf("%d tasks, each done once\n", tasks)
	return nil
}

// work does tasks until no more has come for a second.
func work(ctx context.Context, done *[]int64) error {
	conn, session, err := connect(ctx, "")
	if err != nil {
		return err
	}
	defer conn.Close()
	// As many messages as a consumer may have in hand at a time: a slow one leaves the rest to the others.
	receiver, err := session.NewReceiver(ctx, taskQueue, &amqp.ReceiverOptions{Credit: 1})
	if err != nil {
		return err
	}
	for {
		second, cancel := context.WithTimeout(ctx, time.Second)
		message, err := receiver.Receive(second, nil)
		cancel()
		if errors.Is(err, context.DeadlineExceeded) {
			return nil // nothing is left
		}
		if err != nil {
			return err
		}
		*done = append(*done, message.Value.(int64))
		// Only now the broker forgets it; a consumer that dies before gets it again, or another one.
		if err := receiver.AcceptMessage(ctx, message); err != nil {
			return err
		}
	}
}
