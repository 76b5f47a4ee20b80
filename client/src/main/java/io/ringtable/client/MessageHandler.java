package io.ringtable.client;

/** Handles each message of a {@link Subscription}. */
@FunctionalInterface
public interface MessageHandler {

    /**
     * Handles one message, on a thread of the subscription. Its concurrency says how many threads call this at a time.
     * The method may block.
     *
     * @throws Exception if the message could not be handled: it is {@linkplain ReceivedMessage#fail failed} and comes
     *     again, or goes to the dead-letter queue after too many failures
     */
    void handle(ReceivedMessage message) throws Exception;
}
