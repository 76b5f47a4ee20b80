package io.ringtable.spring.support;

/**
 * Names the headers of a Spring message that stand for fields of an AMQP message. All other headers are application
 * properties, in both directions. The content type is Spring's own header {@code contentType}.
 */
public final class RingtableHeaders {

    /** Begins the names of all headers here; application properties cannot have names that begin so. */
    public static final String PREFIX = "ringtable_";

    /** The id that the publisher gave the message: a String, in both directions. */
    public static final String MESSAGE_ID = PREFIX + "messageId";

    /** A String, in both directions; a reply has the request's correlation id, or else its message id. */
    public static final String CORRELATION_ID = PREFIX + "correlationId";

    /** A String, in both directions; JMS clients see it as {@code JMSType}. */
    public static final String SUBJECT = PREFIX + "subject";

    /** The address for a reply, a String, in both directions. */
    public static final String REPLY_TO = PREFIX + "replyTo";

    /** The group, a String, in both directions: one consumer at a time gets the messages of a group, in order. */
    public static final String GROUP_ID = PREFIX + "groupId";

    /** An Integer from 0 to 9, in both directions; 4 if it is left out. */
    public static final String PRIORITY = PREFIX + "priority";

    /** How long the message is worth delivering, a {@link java.time.Duration}; outgoing only. */
    public static final String TIME_TO_LIVE = PREFIX + "timeToLive";

    /** A Boolean, in both directions; true if it is left out. */
    public static final String DURABLE = PREFIX + "durable";

    /** Where the message came from, as {@code queue://orders}: a String; incoming only. */
    public static final String ADDRESS = PREFIX + "address";

    /** When the message was created, an {@link java.time.Instant}, if its publisher said so; incoming only. */
    public static final String CREATED_AT = PREFIX + "createdAt";

    /** Counts the deliveries of the message, this one included: an Integer from 1; incoming only. */
    public static final String DELIVERY_COUNT = PREFIX + "deliveryCount";

    /** Tells whether the message may have been seen before: a Boolean; incoming only. */
    public static final String REDELIVERED = PREFIX + "redelivered";

    /**
     * All application properties under their own names, a Map; incoming only. The map has those as well whose names
     * Spring keeps for itself: {@code id}, {@code timestamp}, {@code contentType}, {@code replyChannel},
     * {@code errorChannel}.
     */
    public static final String PROPERTIES = PREFIX + "properties";

    /** Why the message is a dead letter, an {@link io.ringtable.client.ReceivedMessage.DeadLetter}; incoming only. */
    public static final String DEAD_LETTER = PREFIX + "deadLetter";

    /** The SDK's own {@link io.ringtable.client.ReceivedMessage}; incoming only. */
    public static final String RECEIVED_MESSAGE = PREFIX + "receivedMessage";

    /** The {@link io.ringtable.spring.listener.Acknowledgment} of a listener in mode MANUAL; incoming only. */
    public static final String ACKNOWLEDGMENT = PREFIX + "acknowledgment";

    private RingtableHeaders() {}
}
