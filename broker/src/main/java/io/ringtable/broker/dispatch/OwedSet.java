package io.ringtable.broker.dispatch;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.roaringbitmap.longlong.LongIterator;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/**
 * What one stored subscription owes and has not delivered, wherever it lies.
 * <pre>
 *   below taken                    above taken
 *   ─────────────────────────────┬──────────────────────────────────────────────
 *   returned (given back)        │ backlog (rows below the gate, if inBacklog)
 *   window   (next to be given)  │ stored  (rows of the ring, a few bits each)
 *   delivered or settled: not    │
 *   here                         │
 * </pre>
 * Everything up to {@code taken} that is not settled is in memory; everything above is in the store and is read back
 * when its turn comes. A subscription that keeps up has nothing above {@code taken}.
 * <p>
 * Thread: dispatcher.
 */
final class OwedSet {
    private final MemoryBudget budget;
    private final int windowMax;
    private final Deque<Ready> window = new ArrayDeque<>();
    private final TreeMap<Long, Ready> returned = new TreeMap<>();
    private final Roaring64Bitmap stored = new Roaring64Bitmap();
    private final Map<Long, Integer> failures = new HashMap<>(); // of messages that are not in memory
    private final Set<Long> leaving = new HashSet<>(); // on their way to the dead-letter queue
    private boolean inBacklog;
    private long moves; // how often the backlog grew by what is owed here
    private long taken;
    private long redeliveredUpTo = -1; // what comes from the store up to here may have been delivered before

    /** @param fromSequence nothing below is owed: an earlier holder of the same bit may have left rows there */
    OwedSet(MemoryBudget budget, int windowMax, long fromSequence) {
        this.budget = budget;
        this.windowMax = windowMax;
        this.taken = fromSequence - 1;
    }

    /** A message that has just been committed. @param keep whether somebody is there to take it soon */
    void arrived(Ready ready, boolean keep) {
        if (keep && isCaughtUp() && (window.isEmpty() || budget.hasRoom() && window.size() < windowMax)) {
            append(ready);
        } else {
            stored.addLong(ready.sequence());
        }
    }

    /** A message for a volatile subscription, which has no store to leave it in. */
    void arrivedVolatile(Ready ready) {
        append(ready);
    }

    /** A message read back from the store, in order. */
    void readBack(Ready ready) {
        stored.removeLong(ready.sequence());
        if (leaving.contains(ready.sequence())) {
            taken = ready.sequence();
            return;
        }
        Integer failed = failures.remove(ready.sequence());
        append(new Ready(
                ready.message(),
                ready.sequence(),
                ready.group(),
                ready.pending(),
                failed == null ? 0 : failed,
                failed != null || ready.sequence() <= redeliveredUpTo,
                null));
    }

    private void append(Ready ready) {
        window.add(ready);
        budget.take(ready.weight());
        taken = ready.sequence();
    }

    /** A delivered message comes back to its place: in memory, or in the store if that is where its neighbours are. */
    void giveBack(Ready ready, long gate) {
        leaving.remove(ready.sequence());
        if (ready.sequence() > taken) {
            storeHolds(ready, gate);
        } else {
            returned.put(ready.sequence(), ready);
            budget.take(ready.weight());
        }
    }

    void leaves(long sequence) {
        leaving.add(sequence);
    }

    void hasLeft(long sequence) {
        leaving.remove(sequence);
    }

    /** It is over. @return false if it lies in the store, from where it may be on its way into memory */
    boolean settledElsewhere(long sequence) {
        failures.remove(sequence);
        if (sequence > taken) {
            stored.removeLong(sequence);
            return false;
        }
        Ready waiting = returned.remove(sequence);
        if (waiting == null && !window.isEmpty() && window.peek().sequence() <= sequence) {
            for (Iterator<Ready> each = window.iterator(); waiting == null && each.hasNext(); ) {
                Ready ready = each.next();
                if (ready.sequence() == sequence) {
                    each.remove();
                    waiting = ready;
                }
            }
        }
        if (waiting != null) {
            budget.give(waiting.weight());
        }
        return true;
    }

    /** The first that this consumer may have; null if there is none in memory. */
    Ready peek(Consumer consumer) {
        for (Ready ready : returned.values()) {
            if (!window.isEmpty() && window.peek().sequence() < ready.sequence()) {
                break;
            }
            if (ready.notHere() != consumer) {
                return ready;
            }
        }
        return window.peek();
    }

    void take(Ready ready) {
        if (window.peek() == ready) {
            window.remove();
        } else {
            returned.remove(ready.sequence());
        }
        budget.give(ready.weight());
    }

    /** Nothing waits in the store. */
    boolean isCaughtUp() {
        return !inBacklog && stored.isEmpty();
    }

    boolean wantsReadBack() {
        return !isCaughtUp() && window.size() < windowMax / 4 && (window.isEmpty() || budget.hasRoom());
    }

    boolean isInBacklog() {
        return inBacklog;
    }

    /** How often more was found to lie in the backlog: a read that began earlier knows nothing of it. */
    long moves() {
        return moves;
    }

    /** The store said that its backlog had nothing more above {@link #taken}, after so many {@link #moves}. */
    void backlogIsRead(long movesThen) {
        if (movesThen == moves) {
            inBacklog = false;
        }
    }

    private void liesInBacklog() {
        inBacklog = true;
        moves++;
    }

    long taken() {
        return taken;
    }

    /** The next sequences to read from the ring, in order. */
    long[] nextStored(int max) {
        long[] sequences = new long[(int) Math.min(max, stored.getLongCardinality())];
        LongIterator iterator = stored.getLongIterator();
        for (int i = 0; i < sequences.length; i++) {
            sequences[i] = iterator.next();
        }
        return sequences;
    }

    /** What lay in the ring below the gate lies in the backlog now. */
    void gateRaised(long gate) {
        while (!stored.isEmpty() && stored.first() < gate) {
            stored.removeLong(stored.first());
            liesInBacklog();
        }
    }

    /** Nobody reads any more: memory is let go of, everything waits in the store. @param gate the ring's, as known here */
    void leaveToStore(long gate) {
        returned.values().forEach(ready -> leaveToStore(ready, gate));
        window.forEach(ready -> leaveToStore(ready, gate));
        returned.clear();
        window.clear();
    }

    private void leaveToStore(Ready ready, long gate) {
        storeHolds(ready, gate);
        taken = Math.min(taken, ready.sequence() - 1);
        budget.give(ready.weight());
    }

    private void storeHolds(Ready ready, long gate) {
        if (ready.sequence() >= gate) {
            stored.addLong(ready.sequence());
        } else {
            liesInBacklog();
        }
        if (ready.failures() > 0) {
            failures.put(ready.sequence(), ready.failures());
        }
        if (ready.redelivered()) {
            redeliveredUpTo = Math.max(redeliveredUpTo, ready.sequence());
        }
    }

    /** The subscription is gone. */
    void forget() {
        returned.values().forEach(ready -> budget.give(ready.weight()));
        window.forEach(ready -> budget.give(ready.weight()));
        returned.clear();
        window.clear();
        stored.clear();
        inBacklog = false;
    }

    void recoveredInRing(long sequence) {
        stored.addLong(sequence);
    }

    void recoveredInBacklog() {
        liesInBacklog();
    }

    void recoveredFailures(long sequence, int count) {
        failures.put(sequence, count);
    }

    void recoveredBound(long mayHaveBeenDelivered) {
        redeliveredUpTo = mayHaveBeenDelivered;
    }
}
