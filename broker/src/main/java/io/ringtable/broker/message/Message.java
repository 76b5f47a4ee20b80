package io.ringtable.broker.message;

import io.ringtable.broker.catalog.Address;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * One message: the facts that the broker acts on, and the encoded AMQP message exactly as it came.
 *
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
public record Message(
        Address address,
        long publishedAt,
        int priority,
        long expiresAt,
        long deliverAt,
        byte[] encoded,
        long bodyId,
        MessageGroup group,
        String publisher) {

    public static final int PRIORITY_NORMAL = 4;

    private static final byte[] NOT_HERE = {}; // an encoded message has at least one section

    public Message {
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(encoded, "encoded");
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
