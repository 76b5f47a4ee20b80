package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/Azure/go-amqp"
)

const readingQueue = "queue://go.readings"
const afterwards = 5

// reconnect goes on through a restart of the broker, and no message is stored twice.
//
// A publisher that loses its connection does not know whether its last message is stored, and sends it again. The
// property _AMQ_DUPL_ID lets the broker store it once all the same.
func reconnect(ctx context.Context) error {
	run := rand.Text() // ids are remembered by the broker: another run needs other ones
	conn, session, readings := connectAgain(ctx)
	fmt.Println("connected: now stop the broker and start it again")
	accepted := int64(0)
	lost := false
	for left := afterwards; left > 0; {
		message := durably(accepted)
		message.ApplicationProperties = map[string]any{"_AMQ_DUPL_ID": fmt.Sprintf("%s-%d", run, accepted)}
		err := readings.Send(ctx, message, nil)
		if err == nil {
			accepted++
			if lost {
				left--
			}
			time.Sleep(50 * time.Millisecond)
			continue
		}
		if _, rejected := err.(*amqp.Error); rejected {
			return err // the broker's answer, not within a lost connection: to send it again would not help
		}
		lost = true
		fmt.Println("the connection is lost")
		conn.Close()
		conn, session, readings = connectAgain(ctx)
		fmt.Println("connected again")
	}
	defer conn.Close()

	if err := receiveOnce(ctx, session, accepted); err != nil {
		return err
	}
	fmt.Printf("%d accepted, each received once\n", accepted)
	return nil
}

func connectAgain(ctx context.Context) (*amqp.Conn, *amqp.Session, *amqp.Sender) {
	for {
		conn, session, err := connect(ctx, "")
		if err == nil {
			sender, err := session.NewSender(ctx, readingQueue, nil)
			if err == nil {
				return conn, session, sender
			}
			conn.Close()
		}
		time.Sleep(200 * time.Millisecond) // the broker is not there yet
	}
}

// receiveOnce takes what the queue holds, and fails unless these are the numbers below accepted, in their order.
func receiveOnce(ctx context.Context, session *amqp.Session, accepted int64) error {
	receiver, err := session.NewReceiver(ctx, readingQueue, &amqp.ReceiverOptions{Credit: 10})
	if err != nil {
		return err
	}
	for expected := int64(0); ; expected++ {
		patience := wait
		if expected == accepted {
			patience = time.Second // nothing may come behind the last one
		}
		limited, cancel := context.WithTimeout(ctx, patience)
		message, err := receiver.Receive(limited, nil)
		cancel()
		if errors.Is(err, context.DeadlineExceeded) && expected == accepted {
			return nil
		}
		if err != nil {
			return err
		}
		if expected == accepted || message.Value != expected {
			return fmt.Errorf("%d accepted, and in place of number %d came %v", accepted, expected, message.Value)
		}
		if err := receiver.AcceptMessage(ctx, message); err != nil {
			return err
		}
	}
}
