package io.ringtable.client;

import java.util.concurrent.CompletableFuture;

/**
 * Pushes messages to a {@link MessageHandler}. After a lost connection it subscribes again by itself: messages that
 * were not acknowledged come again, flagged as redelivered.
 */
public interface Subscription extends AutoCloseable {

    Address address();

    boolean isOpen();

    /**
     * Completes when the subscription is closed; fails with the cause if the broker ended it or the client gave up.
     * Completes on the client's I/O thread.
     */
    CompletableFuture<Void> closed();

    /**
     * Stops the subscription: no handler is called any more. Running handlers may finish, for at most the client's
     * close time-out, and their settlements are sent. Messages not handled go back to the broker uncounted. A durable
     * subscription goes on collecting messages at the broker. While the connection is down nothing has to be sent, and
     * the subscription closes as soon as the handlers have returned. A call by a handler returns at once, and the rest
     * happens when the handlers have returned: see {@link #closed()}. Closing again does nothing.
     */
    @Override
    void close();
}
