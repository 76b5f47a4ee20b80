package io.ringtable.broker.commit;

import io.ringtable.broker.ring.Ledger;
import io.ringtable.broker.ring.References;
import io.ringtable.broker.ring.Ring;
import io.ringtable.broker.store.ShardState.BacklogSummary;
import io.ringtable.broker.store.StoredMessage;
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
    final Map<Long, Backlog> backlogs = new ConcurrentHashMap<>();
    final Deque<Backlog> toDiscard = new ArrayDeque<>();
    volatile long epoch; // written by committer, read by housekeeper and stager
    long dispatchBound;
    long nextId;
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

    /** More of it is over, or may be: it is discarded when that is worth a transaction. */
    void over(Backlog backlog) {
        if (backlog.isDue() && backlog.enqueued()) {
            toDiscard.add(backlog);
        }
    }

    public void backlog(BacklogSummary summary) {
        backlogs.put(summary.addressId(), new Backlog(summary));
    }

    public long epoch() {
        return epoch;
    }

    public boolean isSettled(long sequence, int bit) {
        return ledger.isSettled(sequence, bit);
    }

    /** A ring row and the bits of it that live subscriptions still owe. */
    public void recovered(StoredMessage row, long owed) {
        references.claimed(row.sequence(), row.addressId(), row.group(), owed, row.bodyBytes());
    }

    public void dispatchBound(long bound) {
        dispatchBound = bound;
    }

    /** Thread: any; a little behind. */
    public Ring ring() {
        return ring;
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
