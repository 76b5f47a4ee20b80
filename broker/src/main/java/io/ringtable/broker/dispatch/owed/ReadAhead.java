package io.ringtable.broker.dispatch.owed;

import io.ringtable.broker.dispatch.memory.MemoryBudget;
import java.util.ArrayList;
import java.util.List;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/**
 * Decides what a subscription has read from the store next, so that its memory is never far from empty or full.
 * <p>
 * Thread: dispatcher.
 */
final class ReadAhead {
    private final List<PriorityLevel> levels;
    private final UnreadBacklog unread;
    private final MemoryBudget budget;
    private final int inMemoryMax;

    /** @param levels of the subscription, highest priority first, as they are at any time */
    ReadAhead(List<PriorityLevel> levels, UnreadBacklog unread, MemoryBudget budget, int inMemoryMax) {
        this.levels = levels;
        this.unread = unread;
        this.budget = budget;
        this.inMemoryMax = inMemoryMax;
    }

    /**
     * @param gate the ring's, as known here
     * @param hungry some consumer has credit and found nothing
     * @return null if nothing is to be read now
     */
    Reading next(long gate, boolean hungry) {
        if (!hungry && !budget.hasRoom()) {
            return null; // nobody waits for what it would take the memory of others to keep
        }
        long end = unread.first();
        for (int i = 0; i < levels.size(); i++) {
            PriorityLevel level = levels.get(i);
            long first = level.storedFirst();
            if (first < end && (hasRoomFor(level) || level.isStoredNext(hungry))) {
                return first < gate
                        ? new Reading.BacklogRows(level.nextStored(Reading.MESSAGES_MAX, Math.min(gate, end)))
                        : new Reading.RingRows(level.nextStored(Reading.MESSAGES_MAX, end));
            }
        }
        // Of several priorities the highest may lie at the end of the stretch: it is read through, and bodies that have
        // no room are let go of.
        boolean wanted = !unread.isEmpty() && (levels.size() != 1 || hasRoomFor(levels.get(0)));
        return wanted ? unread.stretch() : null;
    }

    /** Whether what is read may stay in memory. */
    boolean hasRoomFor(PriorityLevel level) {
        return level.queued() < inMemoryMax / 4 && (level.queued() == 0 || budget.hasRoom());
    }

    /** Nothing waits in the store to be read. */
    boolean isThrough() {
        for (int i = 0; i < levels.size(); i++) {
            if (!levels.get(i).isStoredEmpty()) {
                return false;
            }
        }
        return unread.isEmpty();
    }

    /** Whether it is still to be read. */
    boolean isAhead(long sequence) {
        return unread.contains(sequence) || levels.stream().anyMatch(level -> level.isStored(sequence));
    }

    /** Everything that is ready in the store, in the order of delivery. */
    List<ReadyPart> all() {
        List<ReadyPart> ready = new ArrayList<>();
        for (PriorityLevel level : levels) {
            addIfAny(ready, below(unread.first(), level.sequences(), true));
        }
        if (!unread.isEmpty()) {
            ready.add(unread.stretch());
            levels.forEach(level -> addIfAny(ready, below(unread.first(), level.sequences(), false)));
        }
        return ready;
    }

    /** @param are below it, or are not */
    private static Roaring64Bitmap below(long end, Roaring64Bitmap sequences, boolean are) {
        Roaring64Bitmap those = new Roaring64Bitmap();
        sequences.forEach(sequence -> {
            if (sequence < end == are) {
                those.addLong(sequence);
            }
        });
        return those;
    }

    private static void addIfAny(List<ReadyPart> ready, Roaring64Bitmap sequences) {
        if (!sequences.isEmpty()) {
            ready.add(new ReadyPart.Sequences(sequences));
        }
    }
}
