package io.ringtable.broker.dispatch.owed;

import java.util.ArrayList;
import java.util.List;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/**
 * Evicts messages of a subscription from memory, as they lie in the store too. Has them read back when that may help:
 * in order, for the consumers that may have them now.
 * <p>
 * Thread: dispatcher.
 */
final class Evictions {
    /** Bounds the evicted messages that are read back together for a consumer that may have them. */
    private static final int RECALLED = 2 * Reading.MESSAGES_MAX;

    private final List<PriorityLevel> levels;
    private final UnreadBacklog unread;
    private final DeliveryHistory history;

    /** @param levels the levels of the subscription; the list changes with them */
    Evictions(List<PriorityLevel> levels, UnreadBacklog unread, DeliveryHistory history) {
        this.levels = levels;
        this.unread = unread;
        this.history = history;
    }

    /** Leaves a message to the store until it is the next of its level. */
    void evict(PriorityLevel level, Ready ready) {
        history.keep(ready, 0);
        if (!unread.contains(ready.sequence())) { // else reading on finds it
            level.store(ready.sequence());
        }
    }

    /** Leaves a message to the store until a consumer that may have it has credit. */
    void evict(PriorityLevel level, Ready ready, List<Recipient> wanting) {
        history.keep(ready, 0);
        level.evicted().add(ready.sequence(), wanting);
    }

    /** Leaves everything to the store, as the last consumer has gone. */
    void evictAll() {
        for (PriorityLevel level : levels) {
            level.clearMemory(ready -> evict(level, ready));
            level.store(level.evicted().takeAll());
        }
    }

    /** Has consumers asked about everything again, as they may have other messages now. */
    void askAnew() {
        for (PriorityLevel level : levels) {
            level.askAnew();
            readAnew(level, level.evicted().takeAll());
        }
    }

    /** Has everything read again, in order, as a new consumer may want what no other wanted. */
    void consumerCame() {
        for (PriorityLevel level : levels) {
            level.consumerCame();
            readAnew(level, level.evicted().takeAll());
        }
    }

    /** Has what was noted for that consumer alone read again. */
    void consumerWent(Recipient consumer) {
        for (PriorityLevel level : levels) {
            level.forget(consumer);
            readAnew(level, level.evicted().forget(consumer));
        }
    }

    private void readAnew(PriorityLevel level, Roaring64Bitmap sequences) {
        if (sequences.isEmpty()) {
            return;
        }
        List<Ready> stay = new ArrayList<>(); // the store does not know which consumer must not get them
        level.clearMemory(ready -> {
            if (ready.notHere() == null) {
                evict(level, ready);
            } else {
                stay.add(ready);
            }
        });
        stay.forEach(level::giveBack);
        level.store(sequences);
    }

    /**
     * Has some of what that consumer may have read back.
     *
     * @return whether there is any
     */
    boolean recall(Recipient consumer) {
        boolean found = false;
        for (PriorityLevel level : levels) {
            Roaring64Bitmap recalled = level.evicted().takeFor(consumer, RECALLED);
            found |= !recalled.isEmpty();
            level.store(recalled);
        }
        return found;
    }
}
