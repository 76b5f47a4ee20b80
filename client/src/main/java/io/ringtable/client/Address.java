package io.ringtable.client;

import java.util.Objects;

/**
 * Names the queue or topic that a message goes to or comes from.
 * <p>
 * The text form is {@code queue://orders} or {@code topic://prices}; a name without a prefix is a queue's.
 *
 * @param kind queue or topic
 * @param name without the prefix
 */
public record Address(Kind kind, String name) {

    private static final String QUEUE_PREFIX = "queue://";
    private static final String TOPIC_PREFIX = "topic://";

    /** Says whether an address gives a message to one consumer, or to every subscription. */
    public enum Kind {
        QUEUE,
        TOPIC
    }

    /** @throws RingtableException RT-5001 if the name is empty */
    public Address {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(name, "name");
        if (name.isBlank()) {
            throw RingtableException.configuration("an address has no name", "give one, as in queue://orders");
        }
    }

    public static Address queue(String name) {
        return new Address(Kind.QUEUE, name);
    }

    public static Address topic(String name) {
        return new Address(Kind.TOPIC, name);
    }

    /**
     * Reads {@code queue://name}, {@code topic://name} or a plain name, which means a queue.
     *
     * @throws RingtableException RT-5001 if no name is left
     */
    public static Address of(String text) {
        Objects.requireNonNull(text, "text");
        if (text.startsWith(TOPIC_PREFIX)) {
            return topic(text.substring(TOPIC_PREFIX.length()));
        }
        return queue(text.startsWith(QUEUE_PREFIX) ? text.substring(QUEUE_PREFIX.length()) : text);
    }

    @Override
    public String toString() {
        return (kind == Kind.QUEUE ? QUEUE_PREFIX : TOPIC_PREFIX) + name;
    }
}
