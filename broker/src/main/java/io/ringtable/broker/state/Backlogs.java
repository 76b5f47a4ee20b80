package io.ringtable.broker.state;

import io.ringtable.broker.store.ShardState.BacklogSummary;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The backlogs of all addresses that have one, and those of them that have rows to discard.
 * <p>
 * Thread: committer (before it starts: whoever recovers); any asks {@link #messages}.
 */
public final class Backlogs {
    private final Map<Long, Backlog> byAddress = new ConcurrentHashMap<>();
    private final Deque<Backlog> toDiscard = new ArrayDeque<>();

    /** Null if the address has none. */
    public Backlog find(long addressId) {
        return byAddress.get(addressId);
    }

    /** Found at recovery: swept and counted in portions later, between flushes. */
    public void recovered(BacklogSummary summary) {
        Backlog backlog = Backlog.recovered(summary);
        byAddress.put(summary.addressId(), backlog);
        over(backlog);
    }

    /** Rows have just been moved to it. */
    void grew(BacklogSummary summary) {
        byAddress
                .computeIfAbsent(summary.addressId(), id -> Backlog.begun(summary))
                .grew(summary);
    }

    /** More of it is over, or may be: it is discarded when that is worth a transaction. */
    public void over(Backlog backlog) {
        if (backlog.isDue() && backlog.enqueued()) {
            toDiscard.add(backlog);
        }
    }

    /** References to rows of the address went without settlement: everything that lies there now is looked at. */
    void sweep(long addressId) {
        Backlog backlog = find(addressId);
        if (backlog != null) {
            backlog.sweep();
            over(backlog);
        }
    }

    /** Null if there is none. */
    public Backlog nextToDiscard() {
        return toDiscard.peek();
    }

    boolean hasSomeToDiscard() {
        return !toDiscard.isEmpty();
    }

    /** The next one has had its turn: the others have theirs before it has another. */
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

    /** Rows in all of them. Thread: any; a little behind. */
    public long messages() {
        return byAddress.values().stream()
                .map(Backlog::summary)
                .mapToLong(BacklogSummary::messages)
                .sum();
    }
}
