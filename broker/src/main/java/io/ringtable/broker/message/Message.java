package io.ringtable.broker.message;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * One message: the facts that the broker acts on, and the encoded AMQP message exactly as it came.
 * <p>
 * Thread: any. Immutable, but for {@link #view}.
 */
public final class Message {
    public static final int PRIORITY_NORMAL = 4;

    private static final byte[] NOT_HERE = {}; // an encoded message has at least one section

    private final Address address;
    private final long publishedAt;
    private final int priority;
    private final long expiresAt;
    private final long deliverAt;
    private final byte[] encoded;
    private final long bodyId;
    private final MessageGroup group;
    private final String publisher;
    private volatile Object view; // null until a selector asks; threads that race make it twice

    /**
     * @param address where it goes
     * @param publishedAt when the broker took it, in ms since the epoch
     * @param priority 0 to 9, JMS's meaning; 4 is normal
     * @param expiresAt ms since the epoch; 0 = never
     * @param deliverAt not before, ms since the epoch; 0 = at once
     * @param encoded every section as it came on the wire; shared, never changed
     * @param bodyId the body staged in overflow that holds {@code encoded}; 0 = it fits into its slot
     * @param group null = none
     * @param publisher JMS client id (AMQP container id) of the connection that it came by; null if it came by none, or if
     *     that is no longer known: only the commit asks for it, and nothing of it is stored
     */
    public Message(
            Address address,
            long publishedAt,
            int priority,
            long expiresAt,
            long deliverAt,
            byte[] encoded,
            long bodyId,
            MessageGroup group,
            String publisher) {
        this.address = Objects.requireNonNull(address, "address");
        this.publishedAt = publishedAt;
        this.priority = priority;
        this.expiresAt = expiresAt;
        this.deliverAt = deliverAt;
        this.encoded = Objects.requireNonNull(encoded, "encoded");
        this.bodyId = bodyId;
        this.group = group;
        this.publisher = publisher;
    }

    /** One that came by no connection, or long ago. */
    public Message(
            Address address,
            long publishedAt,
            int priority,
            long expiresAt,
            long deliverAt,
            byte[] encoded,
            long bodyId,
            MessageGroup group) {
        this(address, publishedAt, priority, expiresAt, deliverAt, encoded, bodyId, group, null);
    }

    /** The same of no group. */
    public Message(
            Address address,
            long publishedAt,
            int priority,
            long expiresAt,
            long deliverAt,
            byte[] encoded,
            long bodyId) {
        this(address, publishedAt, priority, expiresAt, deliverAt, encoded, bodyId, null);
    }

    /** The facts of one whose body is to be read from the store by whoever needs it. */
    public static Message inStore(
            Address address, long publishedAt, int priority, long expiresAt, long deliverAt, long bodyId) {
        return new Message(address, publishedAt, priority, expiresAt, deliverAt, NOT_HERE, bodyId);
    }

    public Address address() {
        return address;
    }

    /** When the broker took it, ms since the epoch. */
    public long publishedAt() {
        return publishedAt;
    }

    /** 0 to 9. */
    public int priority() {
        return priority;
    }

    /** Milliseconds since the epoch; 0 = never. */
    public long expiresAt() {
        return expiresAt;
    }

    /** Not before, ms since the epoch; 0 = at once. */
    public long deliverAt() {
        return deliverAt;
    }

    /** Every section as it came on the wire; shared, never changed. */
    public byte[] encoded() {
        return encoded;
    }

    /** The body staged in overflow that holds {@link #encoded}; 0 = it fits into its slot. */
    public long bodyId() {
        return bodyId;
    }

    /** Null = none. */
    public MessageGroup group() {
        return group;
    }

    /** Null if it came by no connection, or if that is no longer known. */
    public String publisher() {
        return publisher;
    }

    /**
     * What the AMQP layer found out about the bytes for selectors: made when the first of them asks, kept as long as the message is in
     * memory, and shared by all subscriptions and consumers.
     *
     * @param maker always the same; what it makes can be read by any thread
     */
    @SuppressWarnings("unchecked")
    public <V> V view(Function<Message, V> maker) {
        Object known = view;
        if (known == null) {
            known = maker.apply(this);
            view = known;
        }
        return (V) known;
    }

    /** Whether its body is in memory. */
    public boolean isHere() {
        return encoded != NOT_HERE;
    }

    public int bytes() {
        return encoded.length;
    }

    /** Of those whose body lies, or is to lie, in overflow. */
    public static List<Long> bodyIds(List<Message> messages) {
        List<Long> ids = new ArrayList<>();
        for (Message message : messages) {
            if (message.bodyId != 0) {
                ids.add(message.bodyId);
            }
        }
        return ids;
    }
}
