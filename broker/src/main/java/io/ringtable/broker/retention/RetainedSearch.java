package io.ringtable.broker.retention;

import io.ringtable.broker.catalog.RetainedMessages;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.durability.Transactor;
import io.ringtable.broker.state.RingState;
import io.ringtable.broker.store.RingReads;
import io.ringtable.broker.store.StoredMessage;
import java.time.Instant;
import java.util.List;

/**
 * Looks into what a topic has kept, without bodies: what lies in the backlog, and where a time in the past begins.
 * <p>
 * Thread: committer. A store that is away is waited for.
 */
public final class RetainedSearch {
    private final RingState state;
    private final RingReads store;
    private final Transactor transactor;

    public RetainedSearch(RingState state, RingReads store, Transactor transactor) {
        this.state = state;
        this.store = store;
        this.transactor = transactor;
    }

    /** What is kept in the backlog, from a sequence on. */
    List<StoredMessage> inBacklog(RetainedMessages kept, long from, int messagesMax) {
        Subscription keeper = kept.subscription();
        return transactor.read(() ->
                store.readBacklogFacts(keeper.address().id(), keeper.group(), keeper.bit(), from - 1, messagesMax));
    }

    /**
     * The sequence from which everything that is kept was published at that time or later: the first one that is kept if all of it was.
     */
    public long firstSince(RetainedMessages kept, Instant since) {
        long at = milliseconds(since);
        long gate = state.gate();
        if (kept.first() < gate) {
            long first = firstInBacklogSince(kept, at, gate);
            if (first < gate) {
                return first;
            }
        }
        long sequence = Math.max(kept.first(), gate);
        while (sequence < state.next()
                && !(state.isOwedInRing(sequence, kept.subscription()) && state.publishedAt(sequence) >= at)) {
            sequence++;
        }
        return sequence;
    }

    /** Published times are whole milliseconds: what is later than the last whole one is later than all of it. */
    private static long milliseconds(Instant since) {
        try {
            long whole = since.toEpochMilli();
            return since.getNano() % 1_000_000 == 0 ? whole : whole + 1;
        } catch (ArithmeticException e) {
            return since.isBefore(Instant.EPOCH) ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }

    /** By halves: some 40 reads of one row. @return {@code end} if there is none */
    private long firstInBacklogSince(RetainedMessages kept, long at, long end) {
        long low = kept.first(); // everything below was published before
        long high = end; // nothing from here on was
        long first = end;
        while (low < high) {
            long middle = low + (high - low) / 2;
            List<StoredMessage> rows = inBacklog(kept, middle, 1);
            StoredMessage row = rows.isEmpty() || rows.get(0).sequence() >= high ? null : rows.get(0);
            if (row != null && row.publishedAt() < at) {
                low = row.sequence() + 1;
            } else {
                high = middle;
                first = row == null ? first : row.sequence();
            }
        }
        return first;
    }
}
