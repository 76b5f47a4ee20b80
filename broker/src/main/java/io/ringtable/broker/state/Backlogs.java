package io.ringtable.broker.state;

import io.ringtable.broker.store.ShardState.BacklogSummary;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Holds the backlogs of all addresses that have one, and a queue of those with rows to discard.
 * <p>
 * Thread: committer; before it starts, the housekeeper during recovery. Any asks {@link #messages}.
 */
public final class Backlogs {
    private final Map<Long, Backlog> byAddress = new ConcurrentHashMap<>();
    private final Deque<Backlog> toDiscard = new ArrayDeque<>();

    /** Returns the backlog of an address; null if it has none. */
    public Backlog find(long addressId) {
        return byAddress.get(addressId);
    }

    /** Adds a backlog that recovery found; its sweep and count come later, in portions between flushes. */
    public void recovered(BacklogSummary summary) {
        Backlog backlog = Backlog.recovered(summary);
        byAddress.put(summary.addressId(), backlog);
        over(backlog);
    }

    /** Adds rows that the committer has just moved to the backlog. */
    void grew(BacklogSummary summary) {
        byAddress
                .computeIfAbsent(summary.addressId(), id -> Backlog.begun(summary))
                .grew(summary);
    }

    /** Queues a backlog for deletion if enough of it is over, or may be, to be worth a transaction. */
    public void over(Backlog backlog) {
        if (backlog.isDue() && backlog.enqueued()) {
            toDiscard.add(backlog);
        }
    }

    /**
     * Marks everything that lies in the backlog of the address for a sweep, since references went without a settlement.
     */
    void sweep(long addressId) {
        Backlog backlog = find(addressId);
        if (backlog != null) {
            backlog.sweep();
            over(backlog);
        }
    }

    /** Returns the backlog at the head of the queue; null if the queue is empty. */
    public Backlog nextToDiscard() {
        return toDiscard.peek();
    }

    boolean hasSomeToDiscard() {
        return !toDiscard.isEmpty();
    }

    /** Ends the turn of the backlog at the head: the others have theirs before it has another. */
    public void nextHadItsTurn() {
        Backlog backlog = toDiscard.remove();
        if (backlog.isDue()) {
            toDiscard.add(backlog);
        } else {
            backlog.dequeued();
        }
    }

    public void forgetIfEmpty(Backlog backlog) {
        if (backlog.summary().messages() == 0) {
            byAddress.remove(backlog.addressId(), backlog);
        }
    }

    /** Returns the number of rows in all backlogs, a little behind. Thread: any. */
    public long messages() {
        return byAddress.values().stream()
                .map(Backlog::summary)
                .mapToLong(BacklogSummary::messages)
                .sum();
    }
}
