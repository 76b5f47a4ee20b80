package io.ringtable.broker.message;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * Holds one message: the facts that the broker acts on, and the encoded AMQP message exactly as it came.
 * <p>
 * Thread: any. Immutable, except {@link #view}.
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
    private final PublisherLogin login;
    private final int traceAt;
    private volatile Object view; // null until a selector asks; two threads that race make it twice

    /**
     * Makes a message.
     *
     * @param address the message's destination
     * @param publishedAt when the broker took the message, in ms since the epoch
     * @param priority 0 to 9, JMS's meaning; 4 is normal
     * @param expiresAt ms since the epoch; 0 = never
     * @param deliverAt earliest delivery, in ms since the epoch; 0 = immediately
     * @param encoded every section as it came on the wire; shared, never changed
     * @param bodyId the body staged in overflow that holds {@code encoded}; 0 = it fits into its slot
     * @param group null = none
     * @param publisher JMS client id (AMQP container id) of the publishing connection; null if there is none, or if it
     *     is no longer known. Only the commit asks for it; it is never stored
     * @param login by which login the message was published; a move keeps it
     * @param traceAt as {@link #traceAt} returns it
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
            String publisher,
            PublisherLogin login,
            int traceAt) {
        this.address = Objects.requireNonNull(address, "address");
        this.publishedAt = publishedAt;
        this.priority = priority;
        this.expiresAt = expiresAt;
        this.deliverAt = deliverAt;
        this.encoded = Objects.requireNonNull(encoded, "encoded");
        this.bodyId = bodyId;
        this.group = group;
        this.publisher = publisher;
        this.login = Objects.requireNonNull(login, "login");
        this.traceAt = traceAt;
    }

    /** Makes a message that came by no connection, or long ago, and whose trace nobody records. */
    public Message(
            Address address,
            long publishedAt,
            int priority,
            long expiresAt,
            long deliverAt,
            byte[] encoded,
            long bodyId,
            MessageGroup group,
            PublisherLogin login) {
        this(address, publishedAt, priority, expiresAt, deliverAt, encoded, bodyId, group, null, login, 0);
    }

    /** Makes a message that came by no connection, or long ago, and whose login is not known. */
    public Message(
            Address address,
            long publishedAt,
            int priority,
            long expiresAt,
            long deliverAt,
            byte[] encoded,
            long bodyId,
            MessageGroup group) {
        this(address, publishedAt, priority, expiresAt, deliverAt, encoded, bodyId, group, PublisherLogin.UNKNOWN);
    }

    /** Makes a message without a group that came by no connection, or long ago, and whose login is not known. */
    public Message(
            Address address,
            long publishedAt,
            int priority,
            long expiresAt,
            long deliverAt,
            byte[] encoded,
            long bodyId) {
        this(address, publishedAt, priority, expiresAt, deliverAt, encoded, bodyId, null, PublisherLogin.UNKNOWN);
    }

    /** Makes a message without its body: the caller reads the body from the store when it needs it. */
    public static Message inStore(
            Address address, long publishedAt, int priority, long expiresAt, long deliverAt, long bodyId) {
        return new Message(address, publishedAt, priority, expiresAt, deliverAt, NOT_HERE, bodyId);
    }

    public Address address() {
        return address;
    }

    /** Returns when the broker took the message, in ms since the epoch. */
    public long publishedAt() {
        return publishedAt;
    }

    /** Returns the priority: 0 to 9. */
    public int priority() {
        return priority;
    }

    /** Returns when the message expires, in ms since the epoch; 0 = never. */
    public long expiresAt() {
        return expiresAt;
    }

    /** Returns the earliest time of delivery, in ms since the epoch; 0 = immediately. */
    public long deliverAt() {
        return deliverAt;
    }

    /** Returns every section as it came on the wire: shared, never changed. */
    public byte[] encoded() {
        return encoded;
    }

    /**
     * Returns the id of the body staged in overflow that holds {@link #encoded}; 0 = the message fits into its slot.
     */
    public long bodyId() {
        return bodyId;
    }

    /** Returns the message's group; null = none. */
    public MessageGroup group() {
        return group;
    }

    /** Returns the publisher's client id; null if the message came by no connection, or if it is no longer known. */
    public String publisher() {
        return publisher;
    }

    /** Returns by which login the message was published; {@link PublisherLogin#UNKNOWN} if only its row says so. */
    public PublisherLogin login() {
        return login;
    }

    /**
     * Returns where in {@link #encoded} the text of a well-formed {@code traceparent} begins that says sampled; 0 =
     * there is none, or nobody wants to know.
     */
    public int traceAt() {
        return traceAt;
    }

    /**
     * Returns what the AMQP layer found out about the bytes for selectors. The first selector that asks makes this
     * view. All subscriptions and consumers share it, as long as the message is in memory.
     *
     * @param maker always the same; any thread can read what it makes
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

    /** Tells whether the message's body is in memory. */
    public boolean isHere() {
        return encoded != NOT_HERE;
    }

    public int bytes() {
        return encoded.length;
    }

    /** Returns the ids of those bodies that lie, or will lie, in overflow. */
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
