package io.ringtable.broker.commit;

import io.ringtable.broker.work.Mailbox;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Decides whether a flush waits a little for more works. A flush waits where that costs nobody anything: it is small,
 * and its publishers have more on their way than they wait for. Every flush has a price that does not depend on its
 * size: a sync, and wake-ups on both ends of each connection. Without the wait, an idle broker would flush a handful of
 * messages at a time.
 * <p>
 * Publishers that wait for each outcome have one work per connection in a flush, and are not delayed by this class. The
 * wait ends with the first step that brings nothing. After a wait that brought little, the next flushes go without one.
 * <p>
 * Thread: committer.
 */
final class GroupCommitDelay {
    /** Takes publishers with at least this many works per connection as not waiting for each outcome. */
    private static final int PIPELINED = 3;
    /** Ends the wait: this many messages share the price of a flush well enough. */
    private static final int ENOUGH = 256;

    private static final long STEP_NANOS = 200_000;
    private static final int SKIPPED_MAX = 255;

    private final long nanosMax;
    private final LongSupplier nanoTime;
    private final LongConsumer wait;
    private boolean waiting;
    private long begun;
    private int atBegin;
    private int atLastStep;
    private int skip; // flushes until the next wait
    private int skipped; // how many flushes were skipped the last time

    /** @param most longest wait; zero = none */
    GroupCommitDelay(Duration most) {
        this(most, System::nanoTime, LockSupport::parkNanos);
    }

    /** @param wait sleeps for the given ns */
    GroupCommitDelay(Duration most, LongSupplier nanoTime, LongConsumer wait) {
        this.nanosMax = most.toNanos();
        this.nanoTime = nanoTime;
        this.wait = wait;
    }

    /** Begins a new flush. */
    void begin() {
        waiting = false;
    }

    /** Waits one step, as the mailbox is empty. @return false if the flush should go out now */
    boolean step(List<FilteredWork> works, int messages) {
        if (!waiting) {
            if (!pays(works, messages)) {
                return false;
            }
            waiting = true;
            begun = nanoTime.getAsLong();
            atBegin = messages;
            atLastStep = 0;
        }
        long left = begun + nanosMax - nanoTime.getAsLong();
        if (messages == atLastStep || messages >= ENOUGH || left <= 0) {
            learn(messages);
            return false;
        }
        atLastStep = messages;
        wait.accept(Math.min(STEP_NANOS, left));
        return true;
    }

    private boolean pays(List<FilteredWork> works, int messages) {
        if (nanosMax == 0 || messages >= ENOUGH || works.size() < PIPELINED) {
            return false;
        }
        if (skip > 0) {
            skip--;
            return false;
        }
        return arePipelined(works);
    }

    private static boolean arePipelined(List<FilteredWork> works) {
        Set<Mailbox> connections = Collections.newSetFromMap(new IdentityHashMap<>());
        for (FilteredWork selected : works) {
            connections.add(selected.work().completion().mailbox());
        }
        return works.size() >= PIPELINED * connections.size();
    }

    private void learn(int messages) {
        boolean little = messages < 2 * atBegin;
        skipped = little ? Math.min(SKIPPED_MAX, 2 * skipped + 1) : 0;
        skip = skipped;
    }
}
