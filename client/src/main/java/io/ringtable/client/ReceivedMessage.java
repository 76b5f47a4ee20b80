package io.ringtable.client;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * A message that has arrived, and the say over what becomes of it.
 * <p>
 * It is to be settled exactly once: {@link #acknowledge}, {@link #reject}, {@link #release} or {@link #fail}; the first
 * call counts. None of them blocks: they return false if the message was settled before, or if its connection is lost,
 * which makes the settlement void (the message comes again, flagged as redelivered). True means that it is on its way;
 * if the connection breaks before it has gone, {@link ClientListener#settlementsLost} is told.
 */
public interface ReceivedMessage {

    /** Where it was received from. */
    Address address();

    /**
     * The body as bytes: data sections as they are, text in UTF-8.
     *
     * @throws RingtableException RT-5030 if the body is a list, a map or another AMQP value
     */
    byte[] bytes();

    /**
     * The body as text: an AMQP string, or data read as UTF-8.
     *
     * @throws RingtableException RT-5030 if the body is neither
     */
    String text();

    /**
     * The body read from JSON by the client's mapper.
     *
     * @throws RingtableException RT-5030 if it cannot be read so
     */
    <T> T json(Class<T> type);

    /** The body of a message from any AMQP client as a Java value: list, map, number, string, byte[] or null. */
    Object value();

    Optional<String> messageId();

    Optional<String> correlationId();

    Optional<String> subject();

    Optional<String> replyTo();

    Optional<String> contentType();

    /** When it was made, if its publisher said so. */
    Optional<Instant> createdAt();

    /** The publisher's application properties, in their order; points in time are numbers, in ms since the epoch. */
    Map<String, Object> properties();

    /** One application property, or null. */
    default Object property(String name) {
        return properties().get(name);
    }

    /** 0 to 9; 4 is normal. */
    int priority();

    boolean isDurable();

    /** How many times it has been delivered, this time included; JMS calls it {@code JMSXDeliveryCount}. */
    int deliveryCount();

    /** It may have been seen before: failed, or given to a connection or a broker that was lost. */
    boolean isRedelivered();

    /** Its number in the order of arrival at this subscription or receiver, from 1, across reconnects. */
    long arrival();

    /**
     * The broker's name for this delivery: what {@code ringtable.settle} takes in the broker's database, see
     * {@link TransactionalAcknowledger}. Of a topic without a durable subscription it is a number, which settles nothing there.
     */
    String deliveryTag();

    /** Dealt with; it never comes again. */
    boolean acknowledge();

    /**
     * Not acceptable and never will be: it goes to the dead-letter queue with this reason.
     *
     * @param reason for the people who will look there
     */
    boolean reject(String reason);

    /** Not wanted here and now: it comes again, here or elsewhere, and this delivery does not count. */
    boolean release();

    /** Tried and failed: it comes again, counted, until it goes to the dead-letter queue. */
    boolean fail();
}
