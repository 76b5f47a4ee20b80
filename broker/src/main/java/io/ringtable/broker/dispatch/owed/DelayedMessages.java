package io.ringtable.broker.dispatch.owed;

import java.util.Arrays;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/**
 * Keeps the messages of one subscription whose time has not come, by time. A binary heap in primitive arrays holds
 * them, at 17 bytes each and a bit.
 * <p>
 * Thread: dispatcher.
 */
final class DelayedMessages {
    static final long NEVER = Long.MAX_VALUE;

    private final Roaring64Bitmap sequences = new Roaring64Bitmap(); // decides what is here: the heap may hold more
    private long[] dueAt = new long[16];
    private long[] sequence = new long[16];
    private byte[] priority = new byte[16];
    private int size;

    /** Hears of a message whose time has come. */
    @FunctionalInterface
    interface Due {
        void due(long sequence, int priority);
    }

    boolean isEmpty() {
        return sequences.isEmpty();
    }

    long count() {
        return sequences.getLongCardinality();
    }

    boolean contains(long itsSequence) {
        return sequences.contains(itsSequence);
    }

    /** @param at ms since the epoch */
    void add(long at, long itsSequence, int itsPriority) {
        if (size == dueAt.length) {
            dueAt = Arrays.copyOf(dueAt, size * 2);
            sequence = Arrays.copyOf(sequence, size * 2);
            priority = Arrays.copyOf(priority, size * 2);
        }
        sequences.addLong(itsSequence);
        int hole = size++;
        for (int parent; hole > 0 && isAfter(parent = (hole - 1) / 2, at, itsSequence); hole = parent) {
            move(parent, hole);
        }
        put(hole, at, itsSequence, (byte) itsPriority);
    }

    /** Returns the first message that is due; negative if there is none. */
    long first() {
        return next() == NEVER ? -1 : sequence[0];
    }

    /**
     * Returns when the message is due, in ms since the epoch. Returns {@link #NEVER} if it is not here, or not among
     * the first {@code max} of the heap.
     */
    long dueAt(long itsSequence, int max) {
        int end = sequences.contains(itsSequence) ? Math.min(size, max) : 0;
        for (int i = 0; i < end; i++) {
            if (sequence[i] == itsSequence) {
                return dueAt[i];
            }
        }
        return NEVER;
    }

    /**
     * Removes a message that is over, or gone.
     *
     * @return false if it is not here
     */
    boolean remove(long itsSequence) {
        if (!sequences.contains(itsSequence)) {
            return false;
        }
        sequences.removeLong(itsSequence);
        if (sequences.isEmpty()) {
            size = 0;
        }
        return true;
    }

    /** Returns when the first message is due, in ms since the epoch; {@link #NEVER} if there is none. */
    long next() {
        while (size > 0 && !sequences.contains(sequence[0])) {
            removeFirst();
        }
        return size == 0 ? NEVER : dueAt[0];
    }

    /**
     * Hands out the messages that are due, the first {@code max} of them.
     *
     * @return how many
     */
    int release(long now, int max, Due due) {
        int released = 0;
        while (released < max && next() <= now) {
            long itsSequence = sequence[0];
            int itsPriority = priority[0];
            removeFirst();
            sequences.removeLong(itsSequence);
            due.due(itsSequence, itsPriority);
            released++;
        }
        return released;
    }

    void clear() {
        sequences.clear();
        size = 0;
    }

    private void removeFirst() {
        long at = dueAt[--size];
        long itsSequence = sequence[size];
        byte itsPriority = priority[size];
        int hole = 0;
        for (int child; (child = 2 * hole + 1) < size; hole = child) {
            if (child + 1 < size && isAfter(child, dueAt[child + 1], sequence[child + 1])) {
                child++;
            }
            if (!isBefore(child, at, itsSequence)) {
                break;
            }
            move(child, hole);
        }
        put(hole, at, itsSequence, itsPriority);
    }

    private boolean isAfter(int place, long at, long itsSequence) {
        return dueAt[place] > at || dueAt[place] == at && sequence[place] > itsSequence;
    }

    private boolean isBefore(int place, long at, long itsSequence) {
        return dueAt[place] < at || dueAt[place] == at && sequence[place] < itsSequence;
    }

    private void move(int from, int to) {
        put(to, dueAt[from], sequence[from], priority[from]);
    }

    private void put(int place, long at, long itsSequence, byte itsPriority) {
        dueAt[place] = at;
        sequence[place] = itsSequence;
        priority[place] = itsPriority;
    }
}
