package io.ringtable.benchmarks.store;

/**
 * Names what the measurements vary.
 *
 * @param batch messages per commit
 * @param subscribers that each owe a settlement for each message; 1 is a queue, more are a topic with durable ones
 * @param addresses that the messages of a batch go to in turn
 * @param backlogRows messages in the backlog, owed by a subscription without consumers
 */
public record Shape(int batch, int subscribers, int addresses, int backlogRows) {
    /** Bytes of a small message, as in the articles that the ring comes from. */
    public static final int BODY_BYTES = 300;

    /** Returns one queue without a backlog. */
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

    /** Returns this shape with another number of messages per commit. */
    public Shape withBatch(int messages) {
        return new Shape(messages, subscribers, addresses, backlogRows);
    }
}
