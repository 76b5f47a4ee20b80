package io.ringtable.client;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * Holds a message that has arrived, and settles it.
 * <p>
 * Settle each message exactly once: {@link #acknowledge}, {@link #reject}, {@link #release} or {@link #fail}. The first
 * call counts. None of them blocks. The methods return false if the message was settled before, or if its connection is
 * lost. A lost connection makes the settlement void: the message comes again, flagged as redelivered. True means that
 * the settlement is on its way. If the connection breaks before the settlement has gone,
 * {@link ClientListener#settlementsLost} hears of it.
 */
public interface ReceivedMessage {

    /** Returns the address that the message came from. */
    Address address();

    /**
     * Returns the body as bytes: data sections as they are, text in UTF-8.
     *
     * @throws RingtableException RT-5030 if the body is a list, a map or another AMQP value
     */
    byte[] bytes();

    /**
     * Returns the body as text: an AMQP string, or data read as UTF-8.
     *
     * @throws RingtableException RT-5030 if the body is neither
     */
    String text();

    /**
     * Reads the body from JSON with the client's mapper.
     *
     * @throws RingtableException RT-5030 if the body cannot be read so
     */
    <T> T json(Class<T> type);

    /**
     * Returns the body of a message from any AMQP client as a Java value: list, map, number, string, byte[] or null.
     */
    Object value();

    Optional<String> messageId();

    Optional<String> correlationId();

    Optional<String> subject();

    Optional<String> replyTo();

    Optional<String> contentType();

    /** Returns the group of the message, JMS's {@code JMSXGroupID}. */
    Optional<String> groupId();

    /** Returns why the message is a dead letter, if the broker has made it one. */
    Optional<DeadLetter> deadLetter();

    /** Returns when the message was created, if its publisher said so. */
    Optional<Instant> createdAt();

    /**
     * Returns the publisher's application properties, in their order; points in time are numbers, in ms since the
     * epoch.
     */
    Map<String, Object> properties();

    /** Returns one application property, or null. */
    default Object property(String name) {
        return properties().get(name);
    }

    /**
     * Returns the CloudEvent in the message, in binary or structured mode; empty if the message does not say that it is
     * one.
     *
     * @throws RingtableException RT-5030 if the message says so and is none, or is in another format than JSON
     */
    Optional<CloudEvent> cloudEvent();

    /** Returns the priority, 0 to 9; 4 is normal. */
    int priority();

    boolean isDurable();

    /** Counts the deliveries of the message, this one included; JMS calls the count {@code JMSXDeliveryCount}. */
    int deliveryCount();

    /**
     * Tells whether the message may have been seen before: it failed, or went to a connection or a broker that was
     * lost.
     */
    boolean isRedelivered();

    /**
     * Returns the number of the message in the order of arrival at this subscription or receiver, from 1, across
     * reconnects.
     */
    long arrival();

    /**
     * Returns the broker's name for this delivery, which {@code ringtable.settle} takes in the broker's database: see
     * {@link io.ringtable.client.jdbc.TransactionalAcknowledger}. Without a durable subscription of a topic the tag is
     * a number, which settles nothing there.
     */
    String deliveryTag();

    /** Settles the message as dealt with; it never comes again. */
    boolean acknowledge();

    /**
     * Settles the message as never acceptable: it goes to the dead-letter queue with this reason.
     *
     * @param reason for the people who will look there
     */
    boolean reject(String reason);

    /**
     * Gives the message back as not wanted here and now. The message comes again, here or elsewhere, and this delivery
     * does not count.
     */
    boolean release();

    /** Settles the message as tried and failed: it comes again, counted, until it goes to the dead-letter queue. */
    boolean fail();

    /**
     * Tells why a message came to a dead-letter queue. Its properties and its body are those that it was published
     * with.
     *
     * @param address name, without a prefix, of the queue or topic from which the message could not be delivered
     * @param subscription name of the subscription that gave up; empty for a queue
     * @param reason for people: the last failure, or what the application said when it rejected the message
     * @param failures failed deliveries, 0 or more
     * @param time when the broker moved the message, by the broker's clock
     */
    record DeadLetter(String address, Optional<String> subscription, String reason, int failures, Instant time) {}
}
