package io.ringtable.broker.deduplication;

import io.ringtable.broker.catalog.Producer;
import io.ringtable.broker.catalog.ProducerEntry;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.ProducerRow;
import java.util.Objects;

/**
 * Knows how far a producer has come, by its row and by the messages of the open flush.
 * <p>
 * Thread: committer.
 */
final class ProducerNumbers {
    private static final long NOTHING = -1;

    private final long id;
    private final Address address;
    private final String name;
    private final String owner; // null = none, or unknown since the start
    private long incarnation;
    private long lastNumber; // durable
    private long usedAt;
    private long staged = NOTHING; // of the open flush
    private long stagedAt;
    private Producer holder; // null = no link is attached
    private String holderOwner; // of the link that is attached, or was attached last; null = nobody

    /** @param owner who made the producer; null = nobody, or unknown */
    ProducerNumbers(ProducerRow row, Address address, String owner) {
        this.id = row.producerId();
        this.address = address;
        this.owner = owner;
        this.name = row.name();
        this.incarnation = row.incarnation();
        this.lastNumber = row.lastNumber();
        this.usedAt = row.usedAt();
    }

    long id() {
        return id;
    }

    Address address() {
        return address;
    }

    String name() {
        return name;
    }

    /** Returns the owner; null if there is none. */
    String owner() {
        return owner;
    }

    long incarnation() {
        return incarnation;
    }

    long usedAt() {
        return usedAt;
    }

    void reopened(long next, long at) {
        incarnation = next;
        usedAt = at;
    }

    /** Attaches a link, and fences an earlier one: no work of that one is stored from now on. */
    Producer hold(String itsOwner, Runnable fenced) {
        if (holder != null) {
            holder.fence();
        }
        holderOwner = itsOwner;
        holder = new Producer(id, incarnation, lastNumber, fenced);
        return holder;
    }

    boolean isHeld() {
        return holder != null;
    }

    boolean isHeldByAnother(String other) {
        return holder != null && !Objects.equals(holderOwner, other);
    }

    boolean isHeldBy(Producer producer) {
        return holder == producer;
    }

    void left(Producer producer) {
        if (holder == producer) {
            holder = null;
        }
    }

    /** Describes the producer to operators. */
    ProducerEntry entry() {
        String attendedBy = holder == null ? null : Objects.requireNonNullElse(holderOwner, "");
        return new ProducerEntry(id, address, name, incarnation, lastNumber, usedAt, attendedBy);
    }

    /** Returns the number of the last stored message, those of the open flush included. */
    long last() {
        return staged == NOTHING ? lastNumber : staged;
    }

    void stage(long number, long at) {
        staged = number;
        stagedAt = at;
    }

    Flush.Produced row() {
        return new Flush.Produced(id, staged, stagedAt);
    }

    void commit() {
        lastNumber = staged;
        usedAt = stagedAt;
        staged = NOTHING;
    }

    void rollBack() {
        staged = NOTHING;
    }

    @Override
    public String toString() {
        return "producer '" + name + "' of " + address;
    }
}
