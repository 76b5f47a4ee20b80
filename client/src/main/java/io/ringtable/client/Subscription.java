package io.ringtable.client;

import java.util.concurrent.CompletableFuture;

/**
 * Messages pushed to a {@link MessageHandler}. After a lost connection it subscribes again by itself: messages that were
 * not acknowledged come again, flagged as redelivered.
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
     * Stops: no handler is called any more, those that run may finish (waited for at most the client's close time-out),
     * their settlements are sent, messages not handled go back to the broker uncounted. A durable subscription goes on
     * collecting messages at the broker. While the connection is down nothing has to be sent, and it closes as soon as
     * the handlers have returned. Called by a handler it returns at once, and the rest happens when the handlers have
     * returned: see {@link #closed()}. Closing again does nothing.
     */
    @Override
    void close();
}
