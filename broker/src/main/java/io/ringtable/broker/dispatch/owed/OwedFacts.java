package io.ringtable.broker.dispatch.owed;

import io.ringtable.broker.dispatch.consumer.Consumer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Tells where the messages of an {@link OwedSet} are, and what holds them up. Asking changes nothing.
 * <p>
 * Thread: dispatcher.
 */
public final class OwedFacts {
    /** Bounds the delayed messages that are looked at for the time of one. */
    private static final int LOOKED_AT_MAX = 1 << 20;

    private final List<PriorityLevel> levels;
    private final DelayedMessages delayed;
    private final UnreadBacklog unread;
    private final Map<Long, Ready> heldForLater;
    private final Map<Long, Consumer> leaving;
    private final DeliveryHistory history;
    private final Groups groups;

    /** @param levels those of the set, as are the others; they change with it */
    OwedFacts(
            List<PriorityLevel> levels,
            DelayedMessages delayed,
            UnreadBacklog unread,
            Map<Long, Ready> heldForLater,
            Map<Long, Consumer> leaving,
            DeliveryHistory history,
            Groups groups) {
        this.levels = levels;
        this.delayed = delayed;
        this.unread = unread;
        this.heldForLater = heldForLater;
        this.leaving = leaving;
        this.history = history;
        this.groups = groups;
    }

    /** Returns whether nothing waits here at all, now or later, nor is on its way. */
    public boolean isEmpty() {
        return unread.isEmpty()
                && delayed.isEmpty()
                && leaving.isEmpty()
                && levels.stream().allMatch(PriorityLevel::isEmpty);
    }

    /**
     * Returns how many messages wait for their time, and hold no others up; -1 if others wait here too, or are on their
     * way.
     */
    public long forLaterOnly() {
        return unread.isEmpty()
                        && leaving.isEmpty()
                        && !groups.isAnyResting()
                        && levels.stream().allMatch(PriorityLevel::isEmpty)
                ? delayed.count()
                : -1;
    }

    /** Returns whether messages were evicted that no consumer with credit may have. */
    public boolean hasSetAside() {
        return levels.stream().anyMatch(level -> !level.evicted().isEmpty());
    }

    /** Returns the place of a message that no consumer has. */
    public OwedPlace placeOf(long sequence) {
        if (leaving.containsKey(sequence)) {
            return leaving.get(sequence) == null ? OwedPlace.MOVING : OwedPlace.TRANSACTION;
        }
        if (delayed.contains(sequence)) {
            return OwedPlace.DELAYED;
        }
        for (PriorityLevel level : levels) {
            if (level.isStored(sequence)) {
                return OwedPlace.STORE;
            }
            if (level.evicted().contains(sequence)) {
                return OwedPlace.SET_ASIDE;
            }
            if (level.find(sequence) != null) {
                return OwedPlace.MEMORY;
            }
        }
        return unread.contains(sequence) ? OwedPlace.UNREAD : OwedPlace.NOWHERE;
    }

    /** Returns a message that waits in memory; null if it does not. */
    public Ready inMemory(long sequence) {
        Ready held = heldForLater.get(sequence);
        for (int i = 0; held == null && i < levels.size(); i++) {
            held = levels.get(i).find(sequence);
        }
        return held;
    }

    /** Returns all that waits in memory, now or later, in no order. */
    public List<Ready> allInMemory() {
        List<Ready> all = new ArrayList<>(heldForLater.values());
        for (PriorityLevel level : levels) {
            level.addAll(all);
        }
        return all;
    }

    /** Returns the consumer whose transaction holds the message; null if none does. */
    public Consumer enlistedBy(long sequence) {
        return leaving.get(sequence);
    }

    /** Returns the first message that a transaction holds, or that is on its way to another queue; -1 = none. */
    public long firstLeaving() {
        return leaving.keySet().stream().mapToLong(Long::longValue).min().orElse(-1);
    }

    /** Returns how often the delivery of a message failed that no consumer has. */
    public int failures(long sequence) {
        Ready waiting = inMemory(sequence);
        return waiting == null ? history.failures(sequence) : waiting.failures();
    }

    /**
     * Returns when a delayed message is due, in ms since the epoch. Returns {@link OwedSet#NEVER} if it is not delayed,
     * or if there are too many to look for it.
     */
    public long dueAt(long sequence) {
        return delayed.dueAt(sequence, LOOKED_AT_MAX);
    }

    /** Returns the first delayed message that is due; -1 if there is none. */
    public long firstDelayed() {
        return delayed.first();
    }

    /** Returns whether the message rests after a failed delivery, as far as is known. */
    public boolean restsAfterFailure(long sequence) {
        return history.notBefore(sequence) > 0 || failures(sequence) > 0;
    }

    /** Returns the first messages that wait in memory, in the order of delivery; what lies in the store is left out. */
    public List<Ready> firstInMemory(int max) {
        List<Ready> first = new ArrayList<>();
        for (PriorityLevel level : levels) {
            level.addFirst(first, max);
        }
        return first;
    }

    /**
     * Returns the first message that comes before this one, in memory or in the store; {@link Long#MAX_VALUE} if none
     * does. Evicted messages do not count.
     *
     * @param priority of this one
     */
    public long firstBefore(long sequence, int priority) {
        long unreadFirst = unread.first();
        for (PriorityLevel level : levels) {
            if (level.priority() >= priority) {
                long first = Math.min(level.first(), unreadFirst);
                if (first < (level.priority() == priority ? sequence : Long.MAX_VALUE)) {
                    return first;
                }
            }
        }
        return unreadFirst < sequence ? unreadFirst : Long.MAX_VALUE;
    }

    /** Returns what of the message's group keeps it from this consumer; null if nothing does. */
    public GroupHold groupHold(Recipient consumer, Ready ready) {
        return groups.holdOf(consumer, ready);
    }
}
