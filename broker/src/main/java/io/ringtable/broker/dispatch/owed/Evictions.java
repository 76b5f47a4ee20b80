package io.ringtable.broker.dispatch.owed;

import java.util.ArrayList;
import java.util.List;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/**
 * Lets messages of a subscription go from memory, as they lie in the store too, and has them read back when that may
 * help: in order, for whoever may have them now.
 * <p>
 * Thread: dispatcher.
 */
final class Evictions {
    /** Of those evicted, how many are read back at once for the consumer that may have them. */
    private static final int RECALLED = 2 * Reading.MESSAGES_MAX;

    private final List<PriorityLevel> levels;
    private final UnreadBacklog unread;
    private final DeliveryHistory history;

    /** @param levels of the subscription, as they are at any time */
    Evictions(List<PriorityLevel> levels, UnreadBacklog unread, DeliveryHistory history) {
        this.levels = levels;
        this.unread = unread;
        this.history = history;
    }

    /** Leaves a message to the store, to be read back when it is the next of its level. */
    void evict(PriorityLevel level, Ready ready) {
        history.keep(ready, 0);
        if (!unread.contains(ready.sequence())) { // else it is found there
            level.store(ready.sequence());
        }
    }

    /** Leaves a message to the store until one of those that may have it has credit. */
    void evict(PriorityLevel level, Ready ready, List<Recipient> wanting) {
        history.keep(ready, 0);
        level.evicted().add(ready.sequence(), wanting);
    }

    /** Leaves everything to the store: nobody reads any more. */
    void evictAll() {
        for (PriorityLevel level : levels) {
            level.clearMemory(ready -> evict(level, ready));
            level.store(level.evicted().takeAll());
        }
    }

    /** Has everything asked about anew: who may have what has changed. */
    void askAnew() {
        for (PriorityLevel level : levels) {
            level.askAnew();
            readAnew(level, level.evicted().takeAll());
        }
    }

    /** Has everything read anew, in order: who comes may want what nobody wanted. */
    void consumerCame() {
        for (PriorityLevel level : levels) {
            level.consumerCame();
            readAnew(level, level.evicted().takeAll());
        }
    }

    /** Has read anew what was noted for that consumer alone. */
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
        List<Ready> stay = new ArrayList<>(); // the store does not know whom they are not for
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

    /** Has read back some of what that consumer may have. @return whether there is any */
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
