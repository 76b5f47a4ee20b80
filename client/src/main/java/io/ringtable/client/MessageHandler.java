package io.ringtable.client;

/** What an application does with each message of a {@link Subscription}. */
@FunctionalInterface
public interface MessageHandler {

    /**
     * Called on a thread of the subscription, by as many at a time as its concurrency says; it may block.
     *
     * @throws Exception if the message could not be dealt with: it is {@linkplain ReceivedMessage#fail failed} and
     *     comes again, or goes to the dead-letter queue after too many failures
     */
    void handle(ReceivedMessage message) throws Exception;
}
