package io.ringtable.broker.catalog;

import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import java.util.Objects;

/**
 * Describes a named reader of an address. A queue's only one has empty names; clients name the stored ones of a topic.
 * Volatile ones (non-durable topic subscriptions) hold no bit and are served from memory.
 * <p>
 * Identity is the id. Thread: any.
 *
 * @param id never reused in its shard; negative for volatile ones
 * @param clientId JMS client id (AMQP container id) that owns the subscription; empty for queues and global shared
 *     subscriptions
 * @param name unique within its client id; empty for a queue's
 * @param group group of 63 on its address; {@code NO_BIT} if volatile
 * @param bit bit within its group; {@code NO_BIT} if volatile
 * @param fromSequence the subscription owes no message below this
 * @param selector null = every message
 * @param noLocal whether the subscription skips messages from connections of its own client; never with an empty client
 *     id
 * @param shared whether several links may read it at the same time
 */
public record Subscription(
        long id,
        Address address,
        String clientId,
        String name,
        int group,
        int bit,
        long fromSequence,
        Selector selector,
        boolean noLocal,
        boolean shared) {

    static final int NO_BIT = -1;

    /**
     * Names the built-in subscription that keeps the messages of a topic with retention. This subscription has no
     * client id, nobody finds it by its name, and no client's subscription has this name.
     */
    public static final String RETENTION = "$retention";

    public Subscription {
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(clientId, "clientId");
        Objects.requireNonNull(name, "name");
    }

    /** Creates a volatile subscription. @param id negative */
    public static Subscription inMemory(
            long id,
            Address address,
            String clientId,
            String name,
            Selector selector,
            boolean noLocal,
            boolean shared) {
        return new Subscription(id, address, clientId, name, NO_BIT, NO_BIT, 0, selector, noLocal, shared);
    }

    /** Creates the subscription that keeps what is published to the topic. */
    public static Subscription retention(long id, Address topic, int group, int bit, long fromSequence) {
        return new Subscription(id, topic, "", RETENTION, group, bit, fromSequence, null, false, true);
    }

    /** Answers whether this is the subscription that keeps messages; nobody reads it. */
    public boolean isRetention() {
        return name.equals(RETENTION) && clientId.isEmpty() && !address.isQueue();
    }

    /** Returns the same subscription, which owes nothing below that sequence. */
    public Subscription from(long sequence) {
        return new Subscription(id, address, clientId, name, group, bit, sequence, selector, noLocal, shared);
    }

    /** Answers whether the subscription should get a message of its address. */
    public boolean wants(Message message) {
        return !(noLocal && clientId.equals(message.publisher())) && (selector == null || selector.matches(message));
    }

    /** Answers whether there may be messages of its address that the subscription does not want. */
    public boolean isSelective() {
        return noLocal || selector != null;
    }

    /** Answers whether address, selector and no-local are the same. */
    public boolean reads(Address other, Selector otherSelector, boolean otherNoLocal) {
        return address.equals(other) && Objects.equals(selector, otherSelector) && noLocal == otherNoLocal;
    }

    /** Answers whether what the subscription owes is stored. */
    public boolean isStored() {
        return bit != NO_BIT;
    }

    /**
     * Answers whether the catalogue counts the links that attend it: those of a topic's subscription that others can
     * find by its name.
     */
    public boolean isAttendedByName() {
        return !address.isQueue() && (isStored() || shared);
    }

    public long mask() {
        return isStored() ? 1L << bit : 0;
    }

    /** Answers whether a stored message's bits name this subscription. */
    public boolean owes(long sequence, int messageGroup, long pending) {
        return messageGroup == group && sequence >= fromSequence && (pending & mask()) != 0;
    }

    /** Returns why it cannot be replaced while links attend it. */
    public Refusal isInUse() {
        return new Refusal(
                Refusal.Reason.IN_USE,
                "RT-2017",
                this + " has active consumers: it cannot change its topic or selector until they are closed");
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Subscription that && that.id == id;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(id);
    }

    @Override
    public String toString() {
        return address.isQueue()
                ? address.toString()
                : "subscription '" + (clientId.isEmpty() ? "" : clientId + ":") + name + "' of " + address;
    }
}
