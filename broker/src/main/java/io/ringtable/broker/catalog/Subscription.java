package io.ringtable.broker.catalog;

import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Message;
import java.util.Objects;

/**
 * A named reader of an address. A queue's only one has empty names; a topic's stored ones are named by their client;
 * volatile ones (non-durable topic subscriptions) hold no bit and are served from memory.
 * <p>
 * Identity is the id. Thread: any.
 *
 * @param id never reused in its shard; negative for volatile ones
 * @param clientId JMS client id (AMQP container id) that owns it; empty for queues and global shared subscriptions
 * @param name unique within its client id; empty for a queue's
 * @param group group of 63 on its address; {@code NO_BIT} if volatile
 * @param bit bit within its group; {@code NO_BIT} if volatile
 * @param fromSequence it owes no message below this
 * @param selector null = every message
 * @param noLocal whether it gets nothing that a connection of its own client published; never with an empty client id
 * @param shared whether several links may read it at once
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
     * Name of the built-in subscription that keeps the messages of a topic with retention. It has no client id, nobody finds it by
     * its name, and none of a client has this name.
     */
    public static final String RETENTION = "$retention";

    public Subscription {
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(clientId, "clientId");
        Objects.requireNonNull(name, "name");
    }

    /** A volatile one. @param id negative */
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

    /** The one that keeps what is published to the topic. */
    public static Subscription retention(long id, Address topic, int group, int bit, long fromSequence) {
        return new Subscription(id, topic, "", RETENTION, group, bit, fromSequence, null, false, true);
    }

    /** Whether it is the one that keeps messages: nobody reads it. */
    public boolean isRetention() {
        return name.equals(RETENTION) && clientId.isEmpty() && !address.isQueue();
    }

    /** The same when it owes nothing below that sequence. */
    public Subscription from(long sequence) {
        return new Subscription(id, address, clientId, name, group, bit, sequence, selector, noLocal, shared);
    }

    /** Whether it is to get a message of its address. */
    public boolean wants(Message message) {
        return !(noLocal && clientId.equals(message.publisher())) && (selector == null || selector.matches(message));
    }

    /** Whether there may be messages of its address that it does not want. */
    public boolean isSelective() {
        return noLocal || selector != null;
    }

    /** Whether it reads that address with that selector, and its own client's messages or not. */
    public boolean reads(Address other, Selector otherSelector, boolean otherNoLocal) {
        return address.equals(other) && Objects.equals(selector, otherSelector) && noLocal == otherNoLocal;
    }

    /** Whether what it owes is stored. */
    public boolean isStored() {
        return bit != NO_BIT;
    }

    /** Whether the catalogue counts who attends it: a topic's that others can find by its name. */
    public boolean isAttendedByName() {
        return !address.isQueue() && (isStored() || shared);
    }

    public long mask() {
        return isStored() ? 1L << bit : 0;
    }

    /** Whether a stored message's bits name this subscription. */
    public boolean owes(long sequence, int messageGroup, long pending) {
        return messageGroup == group && sequence >= fromSequence && (pending & mask()) != 0;
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
