package io.ringtable.benchmarks.store;

/**
 * What is varied.
 *
 * @param batch messages per commit
 * @param subscribers who each owe a settlement for each message; 1 is a queue, more are durable subscriptions of a topic
 * @param addresses among which the messages of a batch are dealt out in turn
 * @param backlogRows messages that lie beside, owed by somebody who never comes
 */
public record Shape(int batch, int subscribers, int addresses, int backlogRows) {
    /** A small message, as in the articles that the ring comes from. */
    public static final int BODY_BYTES = 300;

    /** One queue with nothing beside it. */
    public static Shape of(int batch) {
        return new Shape(batch, 1, 1, 0);
    }

    public Shape withSubscribers(int count) {
        return new Shape(batch, count, addresses, backlogRows);
    }

    public Shape withAddresses(int count) {
        return new Shape(batch, subscribers, count, backlogRows);
    }

    public Shape withBacklogRows(int count) {
        return new Shape(batch, subscribers, addresses, count);
    }

    /** The batch for one commit per message, whatever the batch was. */
    public Shape withBatch(int messages) {
        return new Shape(messages, subscribers, addresses, backlogRows);
    }
}
