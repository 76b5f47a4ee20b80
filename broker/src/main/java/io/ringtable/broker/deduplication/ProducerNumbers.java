package io.ringtable.broker.deduplication;

import io.ringtable.broker.catalog.Producer;
import io.ringtable.broker.catalog.ProducerEntry;
import io.ringtable.broker.catalog.ProducerUser;
import io.ringtable.broker.catalog.StoredOnce;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.store.CatalogChange;
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
    private final String share; // that it counts against; null = none, or unknown since the start
    private String owner; // durable; null = nobody
    private long incarnation;
    private long lastNumber; // durable
    private long usedAt;
    private long staged = NOTHING; // of the open flush
    private long stagedAt;
    private Producer holder; // null = no link is attached
    private String heldBy; // whose link is attached, or was attached last; null = nobody's

    /** @param share of whom it counts against, who made it; null = nobody, or unknown */
    ProducerNumbers(ProducerRow row, Address address, String share) {
        this.id = row.producerId();
        this.address = address;
        this.share = Producer.isOfRelay(row.name()) ? ProducerUser.RELAYS : share;
        this.owner = row.owner();
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

    /** Returns the user or host whose share it counts against; null if there is none. */
    String share() {
        return share;
    }

    /** Returns the user whose it is; null if it is nobody's. */
    String owner() {
        return owner;
    }

    long incarnation() {
        return incarnation;
    }

    long usedAt() {
        return usedAt;
    }

    void reopened(CatalogChange.ReopenProducer as) {
        incarnation = as.incarnation();
        usedAt = as.openedAt();
        owner = as.owner();
    }

    /** Attaches a link, and fences an earlier one: no work of that one is stored from now on. */
    Producer hold(String by, Runnable fenced) {
        if (holder != null) {
            holder.fence();
        }
        heldBy = by;
        holder = new Producer(id, name, incarnation, lastNumber, fenced);
        return holder;
    }

    boolean isHeld() {
        return holder != null;
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
        String attendedBy = holder == null ? null : Objects.requireNonNullElse(heldBy, "");
        return new ProducerEntry(id, address, name, incarnation, lastNumber, usedAt, owner, attendedBy);
    }

    /** Says how far it has come, between two flushes. */
    StoredOnce.Numbers numbers() {
        return new StoredOnce.Numbers(name, incarnation, lastNumber, usedAt, owner);
    }

    /** Returns the number of the last stored message, those of the open flush included. */
    long last() {
        return staged == NOTHING ? lastNumber : staged;
    }

    /** Tells whether nothing is missing between a message and the last stored one. @param previous as it tells */
    boolean isNext(long previous) {
        long last = last();
        return previous == (isOfRelay() ? last - last % Producer.RELAY_STEP : last);
    }

    /** Tells whether a node holds it for the links that it passes on. */
    boolean isOfRelay() {
        return Producer.isOfRelay(name);
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
