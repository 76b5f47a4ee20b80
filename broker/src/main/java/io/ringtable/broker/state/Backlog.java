package io.ringtable.broker.state;

import io.ringtable.broker.catalog.SubscriptionEntry;
import io.ringtable.broker.ring.Ledger;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.ShardState.BacklogSummary;
import java.util.List;

/**
 * The backlog of one address as the committer knows it: what the table's summary says, the ledger, and how many of its
 * rows nobody owes any more but still lie there.
 * <p>
 * Rows can stop being owed without a settlement that is seen here: their subscription went, or a broker before this one
 * settled them. Only the tables know those. They are found by a sweep, in portions; the first one after a recovery also
 * counts what each subscription owes.
 * <p>
 * Thread: committer. The ledger is read when the first settlement for the address comes, not before.
 */
public final class Backlog {
    /** Rows that may be over before they are deleted in bulk. */
    private static final int DISCARD_AT = 4 * RingGeometry.BLOCK;

    /** Rows of one portion of a sweep: 4,096 take a few milliseconds, as long as a large flush. */
    private static final int SWEEP_ROWS = 4 * RingGeometry.BLOCK;

    private final long addressId;
    private final Ledger settledBefore = new Ledger(); // in memory alone: settled in the ring, before the row was moved
    private volatile BacklogSummary summary; // written by committer, read by status
    private Ledger ledger;
    private long over; // rows that are over and not yet deleted, as far as their last settlement was seen
    private long overBytes;
    private long firstOver = Long.MAX_VALUE;
    private long lastOver = -1;
    private boolean queued; // waits to be discarded
    private long sweepFrom; // [sweepFrom, sweepTo) has not been swept
    private long sweepTo;
    private long countFrom; // [countFrom, countTo) has not been counted
    private long countTo;

    private Backlog(BacklogSummary summary) {
        this.addressId = summary.addressId();
        this.summary = summary;
    }

    /** Rows have just been moved to an address that had none: nothing of them is settled. */
    public static Backlog begun(BacklogSummary summary) {
        Backlog backlog = new Backlog(summary);
        backlog.ledger = new Ledger();
        return backlog;
    }

    /** Found in the tables, of which only the summary is known. */
    public static Backlog recovered(BacklogSummary summary) {
        Backlog backlog = new Backlog(summary);
        backlog.sweep();
        backlog.countFrom = backlog.sweepFrom;
        backlog.countTo = backlog.sweepTo;
        return backlog;
    }

    public long addressId() {
        return addressId;
    }

    public BacklogSummary summary() {
        return summary;
    }

    void grew(BacklogSummary now) {
        summary = now;
    }

    public boolean isLedgerLoaded() {
        return ledger != null;
    }

    public void load(List<Flush.BacklogSettlement> rows) {
        ledger = new Ledger();
        for (Flush.BacklogSettlement row : rows) {
            ledger.load(row.block(), row.bit(), row.settled());
        }
    }

    /** What is settled since the move; {@link #load} it first. */
    public Ledger ledger() {
        return ledger;
    }

    /** The bit had settled the message when it was moved: its row does not name the bit, deliveries in memory still do. */
    void settledBeforeMove(long sequence, int bit) {
        settledBefore.mark(sequence, bit);
    }

    public boolean isSettled(long sequence, int bit) {
        return ledger.isSettled(sequence, bit) || settledBefore.isSettled(sequence, bit);
    }

    /** Whether {@link SubscriptionEntry#owedInBacklog} has counted the message, if it is owed. */
    public boolean isCounted(long sequence) {
        return sequence < countFrom || sequence >= countTo;
    }

    /** The last reference to the message is settled. */
    public void isOver(long sequence, int bytes) {
        over++;
        overBytes += bytes;
        firstOver = Math.min(firstOver, sequence);
        lastOver = Math.max(lastOver, sequence);
    }

    /** References went without settlement: everything that lies here now is to be looked at. */
    void sweep() {
        sweepFrom = summary.firstSequence();
        sweepTo = summary.lastSequence() + 1;
    }

    public boolean needsSweep() {
        return sweepFrom < sweepTo;
    }

    /** Whether enough of it is over to be deleted in bulk, or all of it, or nobody knows how much. */
    public boolean isDue() {
        return needsSweep() || over >= DISCARD_AT || over > 0 && over >= summary.messages();
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

    public long over() {
        return over;
    }

    public long overBytes() {
        return overBytes;
    }

    public long firstOver() {
        return firstOver;
    }

    public long lastOver() {
        return lastOver;
    }

    /** Everything that was over up to now has been deleted. */
    public void discarded(BacklogSummary now) {
        summary = now;
        over = 0;
        overBytes = 0;
        firstOver = Long.MAX_VALUE;
        lastOver = -1;
        if (now.messages() == 0) {
            sweepFrom = sweepTo;
            countFrom = countTo;
        } else if (ledger != null) {
            ledger.dropBelow(RingGeometry.blockOf(now.firstSequence()));
            settledBefore.dropBelow(RingGeometry.blockOf(now.firstSequence()));
        }
    }

    public long sweepFrom() {
        return sweepFrom;
    }

    /** End of the next portion of the sweep: as wide as it takes to meet about {@link #SWEEP_ROWS} rows. */
    public long sweepPortionEnd() {
        if (summary.messages() <= SWEEP_ROWS) {
            return sweepTo;
        }
        long span = summary.lastSequence() + 1 - summary.firstSequence();
        long width = Math.max(RingGeometry.BLOCK, (long) ((double) span / summary.messages() * SWEEP_ROWS));
        return Math.min(sweepTo, sweepFrom + width);
    }

    public void sweptTo(long end) {
        sweepFrom = end;
    }

    public long countFrom() {
        return countFrom;
    }

    /** How far to count when everything below {@code end} has been swept: what was moved later is counted already. */
    public long countEnd(long end) {
        return Math.min(end, countTo);
    }

    public void countedTo(long end) {
        countFrom = end;
    }
}
