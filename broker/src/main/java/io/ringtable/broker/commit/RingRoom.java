package io.ringtable.broker.commit;

import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.reclaim.Reclaimer;
import io.ringtable.broker.ring.Ring;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.StoreLimits;

/**
 * Sees to it that the ring has room for what a flush claims.
 * <p>
 * Thread: committer.
 */
final class RingRoom {
    private final Ring ring;
    private final StoreLimits limits;
    private final Reclaimer reclaimer;
    private final Runnable beforeClearing;

    /** @param beforeClearing flushes what was settled: it need not be moved to the backlog then */
    RingRoom(Ring ring, StoreLimits limits, Reclaimer reclaimer, Runnable beforeClearing) {
        this.ring = ring;
        this.limits = limits;
        this.reclaimer = reclaimer;
        this.beforeClearing = beforeClearing;
    }

    /**
     * @param slots that are wanted
     * @param taken slots that the flush already takes
     * @return null, or why there is no room
     */
    Refusal makeFor(int slots, int taken) {
        int most = Math.min(ring.geometry().capacity() / 2, limits.flushMessagesMax());
        if (slots > most) {
            return new Refusal(
                    Refusal.Reason.LIMIT,
                    "RT-2015",
                    "a transaction of " + slots + " rows is more than one flush takes, " + most
                            + " (half of ring.capacity=" + ring.geometry().capacity() + ", and at most "
                            + limits.flushMessagesMax() + " on " + limits.engine() + "): commit more often");
        }
        try {
            if (ring.room() < slots + taken) {
                beforeClearing.run();
            }
            while (ring.room() < slots + taken) {
                reclaimer.makeRoom();
            }
            return null;
        } catch (StoreFailure failure) {
            return FlushWriter.refusal(failure);
        }
    }
}
