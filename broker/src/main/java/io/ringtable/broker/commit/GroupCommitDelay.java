package io.ringtable.broker.commit;

import io.ringtable.broker.work.Mailbox;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Decides whether a flush waits a little for company. It does where that costs nobody anything: the publishers have more
 * on their way than they wait for, and it is few. Every flush has a price that does not depend on its size (a sync, and
 * wake-ups on both ends of each connection), so that a broker with time to spare would flush a handful at a time.
 * <p>
 * Publishers that wait for each outcome have one work per connection in a flush; among themselves they are not held up.
 * Waiting ends with the first step that brings nothing; where it brought little it is not tried again for a while.
 * <p>
 * Thread: committer.
 */
final class GroupCommitDelay {
    /** Works per connection from which on publishers count as not waiting for each outcome. */
    private static final int PIPELINED = 3;
    /** So many messages share the price of a flush well enough. */
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
    private int skip; // flushes until it is tried again
    private int skipped; // how many were skipped the last time

    /** @param microsMax longest wait; 0 = none */
    GroupCommitDelay(int microsMax) {
        this(microsMax, System::nanoTime, LockSupport::parkNanos);
    }

    /** @param wait sleeps so many ns */
    GroupCommitDelay(int microsMax, LongSupplier nanoTime, LongConsumer wait) {
        this.nanosMax = microsMax * 1_000L;
        this.nanoTime = nanoTime;
        this.wait = wait;
    }

    /** A new flush begins to gather. */
    void begin() {
        waiting = false;
    }

    /** Nothing more is there: waits one step. @return false if the flush is to go out now */
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
