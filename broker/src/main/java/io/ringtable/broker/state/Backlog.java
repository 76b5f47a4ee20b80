package io.ringtable.broker.state;

import io.ringtable.broker.catalog.SubscriptionEntry;
import io.ringtable.broker.ring.Ledger;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.ShardState.BacklogSummary;
import java.util.List;

/**
 * Holds what the committer knows of the backlog of one address. That is the table's summary, the ledger, and the rows
 * that nobody owes any more but still lie there.
 * <p>
 * Some rows stop being owed without a settlement here: their subscription went, or an earlier broker settled them. Only
 * the tables know those rows. A sweep finds them in portions; the first sweep after a recovery also counts what each
 * subscription owes.
 * <p>
 * Thread: committer. The committer reads the ledger when the first settlement for the address comes, not before.
 */
public final class Backlog {
    /** Deletes rows in bulk once this many are over. */
    private static final int DISCARD_AT = 4 * RingGeometry.BLOCK;

    /** Sweeps about this many rows in one portion: 4,096 take a few milliseconds, as long as a large flush. */
    private static final int SWEEP_ROWS = 4 * RingGeometry.BLOCK;

    private final long addressId;
    // in memory alone: settled in the ring, before the move of the row
    private final Ledger settledBefore = new Ledger();
    private volatile BacklogSummary summary; // written by committer, read by status
    private Ledger ledger;
    private long over; // rows that are over and not yet deleted, as far as this class saw their last settlement
    private long overBytes;
    private long firstOver = Long.MAX_VALUE;
    private long lastOver = -1;
    private boolean queued; // whether the backlog waits in the queue for deletion
    private long sweepFrom; // [sweepFrom, sweepTo) has not been swept
    private long sweepTo;
    private long countFrom; // [countFrom, countTo) has not been counted
    private long countTo;

    private Backlog(BacklogSummary summary) {
        this.addressId = summary.addressId();
        this.summary = summary;
    }

    /**
     * Begins the backlog of an address that had none before the committer moved rows to it: none of them is settled.
     */
    public static Backlog begun(BacklogSummary summary) {
        Backlog backlog = new Backlog(summary);
        backlog.ledger = new Ledger();
        return backlog;
    }

    /** Describes a backlog that recovery found in the tables: only the summary is known. */
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

    /** Returns what is settled since the move; call {@link #load} before. */
    public Ledger ledger() {
        return ledger;
    }

    /**
     * Notes that the bit had settled the message before the move: the row does not name the bit, but deliveries in
     * memory still do.
     */
    void settledBeforeMove(long sequence, int bit) {
        settledBefore.mark(sequence, bit);
    }

    public boolean isSettled(long sequence, int bit) {
        return ledger.isSettled(sequence, bit) || settledBefore.isSettled(sequence, bit);
    }

    /** Answers whether {@link SubscriptionEntry#owedInBacklog} has counted the message, if it is owed. */
    public boolean isCounted(long sequence) {
        return sequence < countFrom || sequence >= countTo;
    }

    /** Notes that the last reference to the message is settled. */
    public void isOver(long sequence, int bytes) {
        over++;
        overBytes += bytes;
        firstOver = Math.min(firstOver, sequence);
        lastOver = Math.max(lastOver, sequence);
    }

    /** Marks everything that lies here now for a sweep, since references went without a settlement. */
    void sweep() {
        sweepFrom = summary.firstSequence();
        sweepTo = summary.lastSequence() + 1;
    }

    public boolean needsSweep() {
        return sweepFrom < sweepTo;
    }

    /** Answers whether enough rows for a bulk deletion are over, or all of them, or an unknown number. */
    public boolean isDue() {
        return needsSweep() || over >= DISCARD_AT || over > 0 && over >= summary.messages();
    }

    /**
     * Notes that the backlog waits for its deletion.
     *
     * @return true if it did not wait before
     */
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

    /** Notes that everything that was over up to now has been deleted. */
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

    /** Returns the end of the next portion of the sweep, wide enough for about {@link #SWEEP_ROWS} rows. */
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

    /** Returns how far to count after a sweep up to {@code end}: messages that moved later are counted already. */
    public long countEnd(long end) {
        return Math.min(end, countTo);
    }

    public void countedTo(long end) {
        countFrom = end;
    }
}
