package io.ringtable.broker.commit;

import io.ringtable.broker.ring.Ledger;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.ShardState.BacklogSummary;

/**
 * The backlog of one address as the committer knows it: what the table's summary says, the ledger, and how many of its
 * rows nobody owes any more but still lie there.
 * <p>
 * Thread: committer. The ledger is read when the first settlement for the address comes, not before.
 */
final class Backlog {
    /** Rows that may be over before they are deleted in bulk. */
    private static final int DISCARD_AT = 4 * RingGeometry.BLOCK;

    private final long addressId;
    private volatile BacklogSummary summary; // written by committer, read by status
    private Ledger ledger;
    private long over; // rows that are over and not yet deleted
    private long firstOver = Long.MAX_VALUE;
    private long lastOver = -1;
    private boolean queued; // waits to be discarded
    private boolean sweep; // references went without settlement: only the tables know which rows are over

    Backlog(BacklogSummary summary) {
        this.addressId = summary.addressId();
        this.summary = summary;
    }

    BacklogSummary summary() {
        return summary;
    }

    void grew(BacklogSummary now) {
        summary = now;
    }

    Ledger ledger(RingStore store) {
        if (ledger == null) {
            Ledger loaded = new Ledger();
            for (Flush.BacklogSettlement row : store.readBacklogLedger(addressId)) {
                loaded.load(row.block(), row.bit(), row.settled());
            }
            ledger = loaded;
        }
        return ledger;
    }

    /** Null until a settlement needed it. */
    Ledger ledgerIfLoaded() {
        return ledger;
    }

    void isOver(long sequence) {
        over++;
        firstOver = Math.min(firstOver, sequence);
        lastOver = Math.max(lastOver, sequence);
    }

    void sweep() {
        sweep = true;
    }

    /** Whether enough of it is over to be deleted in bulk, or all of it, or nobody knows how much. */
    boolean isDue() {
        return sweep || over >= DISCARD_AT || over > 0 && over >= summary.messages();
    }

    /** @return true if it was not waiting to be discarded yet */
    boolean enqueued() {
        boolean first = !queued;
        queued = true;
        return first;
    }

    void dequeued() {
        queued = false;
    }

    boolean needsSweep() {
        return sweep;
    }

    long over() {
        return over;
    }

    long firstOver() {
        return firstOver;
    }

    long lastOver() {
        return lastOver;
    }

    /** Everything that was over up to now has been deleted. */
    void discarded(BacklogSummary now) {
        summary = now;
        over = 0;
        firstOver = Long.MAX_VALUE;
        lastOver = -1;
        if (ledger != null && now.messages() > 0) {
            ledger.dropBelow(RingGeometry.blockOf(now.firstSequence()));
        }
    }

    void swept() {
        sweep = false;
    }
}
