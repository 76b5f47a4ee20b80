package io.ringtable.broker.ring;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Remembers the latest flushes that stored messages.
 * <p>
 * Thread: committer adds; any asks.
 */
public final class FlushLog {
    /** The number of flushes that are remembered. */
    static final int KEPT = 8_192;

    private final AtomicReferenceArray<Flushed> latest = new AtomicReferenceArray<>(KEPT);
    private volatile long end; // how many there were; written by committer

    /**
     * Tells of one flush.
     *
     * @param first the lowest sequence of its messages
     * @param last the highest
     * @param durableAt ms since the epoch
     * @param nanos that the store took
     */
    public record Flushed(long first, long last, long durableAt, long nanos) {
        boolean has(long sequence) {
            return first <= sequence && sequence <= last;
        }
    }

    /** Adds a flush. Numbers that were given before belong to its messages now: the database fell back. */
    public void add(Flushed flushed) {
        long at = end;
        Flushed before = at == 0 ? null : latest.get(place(at - 1));
        if (before != null && flushed.first() <= before.last()) {
            for (int place = 0; place < KEPT; place++) {
                latest.set(place, null);
            }
        }
        latest.set(place(at), flushed);
        end = at + 1;
    }

    /** Returns the flush of a message; null if it is not among the latest. */
    public Flushed of(long sequence) {
        long low = Math.max(0, end - KEPT);
        long high = end - 1;
        while (low <= high) {
            long middle = low + (high - low) / 2;
            Flushed flushed = latest.get(place(middle));
            if (flushed != null && flushed.has(sequence)) {
                return flushed;
            }
            if (flushed == null || flushed.last() < sequence) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return null;
    }

    private static int place(long flush) {
        return (int) (flush % KEPT);
    }
}
