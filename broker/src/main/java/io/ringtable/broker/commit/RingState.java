package io.ringtable.broker.commit;

import io.ringtable.broker.catalog.Address;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.ring.Ledger;
import io.ringtable.broker.ring.References;
import io.ringtable.broker.ring.Ring;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.ProducerRow;
import io.ringtable.broker.store.ShardState.BacklogSummary;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the committer knows of its shard, equal to what the tables say.
 * <p>
 * Thread: committer (before it starts: whoever recovers).
 */
public final class RingState {
    final Ring ring;
    final References references;
    final Ledger ledger;
    final Catalog catalog;
    final StoredOnce once = new StoredOnce();
    final Map<Long, Backlog> backlogs = new ConcurrentHashMap<>();
    final Deque<Backlog> toDiscard = new ArrayDeque<>();
    volatile long epoch; // written by committer, read by housekeeper and stager
    long dispatchBound;
    long nextId;
    private long bodiesLeftBelow = -1;
    long nextAtEpoch; // settlements of earlier epochs at or above it are void

    public RingState(
            Ring ring,
            References references,
            Ledger ledger,
            Catalog catalog,
            long epoch,
            long dispatchBound,
            long nextId) {
        this.ring = ring;
        this.references = references;
        this.ledger = ledger;
        this.catalog = catalog;
        this.epoch = epoch;
        this.dispatchBound = dispatchBound;
        this.nextId = nextId;
        this.nextAtEpoch = ring.next();
    }

    /** Whether the subscription still owes the message, which lies in the ring. */
    boolean isOwedInRing(long sequence, Subscription subscription) {
        return references.addressId(sequence) == subscription.address().id()
                && subscription.owes(sequence, references.group(sequence), references.owed(sequence));
    }

    /** More of it is over, or may be: it is discarded when that is worth a transaction. */
    void over(Backlog backlog) {
        if (backlog.isDue() && backlog.enqueued()) {
            toDiscard.add(backlog);
        }
    }

    /** Bodies in overflow whose last reference went unseen: they are looked for once the gate has reached the sequence. */
    void bodiesMayBeLeft(long sequence) {
        bodiesLeftBelow = Math.max(bodiesLeftBelow, sequence);
    }

    /** Whether it is time to look for them; answers yes once. */
    boolean takeBodiesLeft() {
        boolean due = bodiesLeftBelow >= 0 && ring.gate() >= bodiesLeftBelow && toDiscard.isEmpty();
        if (due) {
            bodiesLeftBelow = -1;
        }
        return due;
    }

    /** Found at recovery: swept and counted in portions later, between flushes. */
    public void backlog(BacklogSummary summary) {
        Backlog backlog = Backlog.recovered(summary);
        backlogs.put(summary.addressId(), backlog);
        over(backlog);
    }

    public long epoch() {
        return epoch;
    }

    /** A ring row and the bits of it that live subscriptions still owe. */
    public void recovered(long sequence, long addressId, int group, long owed, int bytes, long publishedAt) {
        references.claimed(sequence, addressId, group, owed, bytes);
        if (references.keepsTimes()) {
            references.published(sequence, publishedAt);
        }
    }

    /** A producer of an address. */
    public void recovered(ProducerRow row, Address address) {
        once.recovered(row, address);
    }

    /** An id that a message came with. */
    public void recovered(Flush.DuplicateId row) {
        once.recovered(row);
    }

    public void dispatchBound(long bound) {
        dispatchBound = bound;
    }

    /** Thread: any; a little behind. */
    public Ring ring() {
        return ring;
    }

    /** Producers that are known. Thread: any; a little behind. */
    public int producers() {
        return once.producers().size();
    }

    /** Rows that lie in the backlog. Thread: any; a little behind. */
    public long backlogMessages() {
        long messages = 0;
        for (Backlog backlog : backlogs.values()) {
            messages += backlog.summary().messages();
        }
        return messages;
    }
}
