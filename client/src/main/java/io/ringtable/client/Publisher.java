package io.ringtable.client;

import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;

/**
 * Publishes messages to one address. Messages handed in by one thread are stored in that order.
 * <p>
 * A publisher is safe for any thread; keep one for as long as it is needed instead of opening one per message. A
 * message is encoded by the caller's thread before the method returns, so its body may be reused afterwards. When the
 * connection is lost, the publisher sends unanswered messages again in the same order over the next one. A message may
 * then be stored twice, never lost; with a {@link PublisherOptions#producerId producer id} it is stored once. Futures
 * complete on the client's I/O thread: dependent stages must not block there (use the {@code …Async} methods of
 * {@link CompletableFuture} for work that does). Cancelling or completing a future from outside does not recall its
 * message.
 */
public interface Publisher extends AutoCloseable {

    Address address();

    /**
     * Hands in one message.
     * <p>
     * Returns at once while there is room in the {@link InFlightLimit}; else blocks until there is, at most for the
     * client's publish time-out. A lost connection does not fail the message: it waits, in flight, for the next
     * connection.
     *
     * @return completes when the broker has stored the message durably. Fails with a {@link RingtableException}:
     *     <ul>
     *       <li>RT-5007 the reconnect bound is exceeded
     *       <li>RT-5008 the publisher was closed first
     *       <li>RT-5010 no room in time: the message was not handed in
     *       <li>RT-5011 the broker rejected the message
     *       <li>RT-5012 the message is larger than the broker takes
     *       <li>RT-5014 the message cannot be encoded
     *     </ul>
     */
    CompletableFuture<Void> publish(Message message);

    /**
     * Publishes one message and waits, at most for the client's request time-out, until it is stored.
     *
     * @throws RingtableException as {@link #publish}
     * @throws RingtableException RT-5013 if there was no answer in time: the message may still be stored
     * @throws RingtableException RT-5015 if called on the client's I/O thread
     */
    void publishAndWait(Message message);

    /** Publishes as {@link #publishAndWait(Message)}, with a time-out of its own. */
    void publishAndWait(Message message, Duration timeout);

    /**
     * Hands in many messages, in their order, with one future for all; blocks as {@link #publish} does whenever the
     * limit of messages in flight is reached.
     *
     * @return completes when all are stored; if any failed, it fails with the first cause after all have been answered.
     *     After a message that could not be handed in, the rest of the collection is not handed in
     */
    CompletableFuture<Void> publishAll(Collection<Message> messages);

    /**
     * Returns the number of the last message that the broker has stored for this producer id. This object may have
     * published it, or an application that had the id before. Messages have the numbers 1, 2, 3 ... in the order in
     * which they are handed in. A message that could not be handed in has none; one that the broker rejects keeps its
     * own. So an application that restarts opens its publisher, asks for this number, and goes on with the message
     * after it. Nothing that was sent before can be stored any more.
     *
     * @return 0 if none is stored, or the publisher has no producer id
     */
    long lastPublishedNumber();

    /** Counts the messages handed in and not yet answered. */
    int pending();

    /**
     * Waits, at most for the client's close time-out, until all messages are answered, then closes. Messages not
     * answered by then fail with RT-5008 and may still be stored. Closing again does nothing.
     */
    @Override
    void close();
}
