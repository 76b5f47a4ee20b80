package io.ringtable.broker.inbox;

import io.ringtable.broker.agent.Doorbell;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Says when a collector looks next: soon while rows come, and after ever longer pauses while none do.
 * <p>
 * Thread: inbox-collector; any may ask for a look.
 */
final class LookPace {
    private static final long BUSY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    /**
     * How many intervals a collector rests for which another one looks. It then sees whether that one still does. Each
     * of these wakes its thread for nothing.
     */
    private static final int FOLLOWING = 4;

    private final long idleNanos;
    private final Doorbell doorbell;
    private final LongSupplier nanoTime;
    private long lookAt; // nanoTime of the next look
    private long pause; // ns, of the last look that found nothing
    private volatile boolean idle; // nothing has come for a while: others may look for it. Set by inbox-collector
    private volatile boolean lookNow; // set by any, taken back by inbox-collector

    /** @param idleNanos the longest pause */
    LookPace(long idleNanos, Doorbell doorbell, LongSupplier nanoTime) {
        this.idleNanos = idleNanos;
        this.doorbell = doorbell;
        this.nanoTime = nanoTime;
        this.lookAt = nanoTime.getAsLong();
    }

    /** Asks for a look at once. Thread: any. */
    void lookNow() {
        lookNow = true;
        doorbell.ring();
    }

    /** Asks for a look, if nothing else is under way or waited for. Thread: any. */
    void rowsHaveCome() {
        if (idle) {
            lookNow();
        }
    }

    /** Tells whether it is time for a look, or somebody has asked for one. */
    boolean isDue() {
        return lookNow || nanoTime.getAsLong() - lookAt >= 0;
    }

    /** Tells whether another collector may look: nothing has come for a while, and nobody has asked. */
    boolean isIdle() {
        return idle && !lookNow;
    }

    long restNanos() {
        return Math.max(1, lookAt - nanoTime.getAsLong());
    }

    /** Begins a look: what comes from now on has another one. */
    void begin() {
        lookNow = false;
        idle = false;
    }

    /** @return 0, as every rest does */
    int foundNothing() {
        pause = Math.min(idleNanos, Math.max(BUSY_NANOS, pause + pause / 2));
        idle = pause == idleNanos;
        return rest(pause);
    }

    void found() {
        pause = Math.min(idleNanos, BUSY_NANOS);
    }

    /** Returns the pause after a look that was of use, in ns. */
    long pause() {
        return pause;
    }

    int rest(long nanos) {
        lookAt = nanoTime.getAsLong() + nanos;
        return 0;
    }

    /** Takes the next look for all shards. @return whether it is due */
    boolean takes(SharedLooks looks) {
        return looks.take(nanoTime.getAsLong(), idleNanos);
    }

    /** Rests after a look for all shards. */
    int restAfterAll() {
        return rest(idleNanos);
    }

    /** Rests while another collector looks for all shards. */
    int follow() {
        return rest(FOLLOWING * idleNanos);
    }
}
