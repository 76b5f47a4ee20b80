package io.ringtable.cli.bridge;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Moves messages from one broker to another until its task is done, and begins again after each interruption.
 * <p>
 * Thread: {@link #run} blocks its caller; both connections live on one event loop. Failure: {@link BridgeFailure}. All
 * that was moved until then stays moved, and the same task goes on where it ended.
 */
public final class Bridge {

    /** Hears what happens, on the thread of {@link Bridge#run}. */
    public interface Listener {
        /** Hears from time to time how far the bridge is. */
        void progress(BridgeTally tally);

        /** Hears that the bridge begins again. @param why one line with a code */
        void interrupted(String why);
    }

    /** Longest time without a message moved, between two brokers of which one does not answer. */
    private static final Duration GIVE_UP_AFTER = Duration.ofSeconds(60);

    /** Time after which a pair of connections counts as good: its loss is then a new interruption. */
    private static final Duration GOOD_AFTER = Duration.ofSeconds(10);

    private static final long FIRST_DELAY_MS = 100;
    private static final long LONGEST_DELAY_MS = 5_000;
    private static final long PROGRESS_MS = 200;

    private final BridgeTask task;
    private final BridgeTally tally = new BridgeTally();

    public Bridge(BridgeTask task) {
        this.task = task;
    }

    /** Returns what was moved so far. Thread: any. */
    public BridgeTally tally() {
        return tally;
    }

    /**
     * Moves messages until the task is done.
     *
     * @throws BridgeFailure if the first attempt to connect fails, or if an attempt would fail again
     * @throws BridgeFailure if a broker does not answer for a minute, unless the task waits for ever
     * @throws InterruptedException if the thread is interrupted; unconfirmed messages come again
     */
    public void run(Listener listener) throws InterruptedException {
        EventLoopGroup group =
                new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("bridge", true), NioIoHandler.newFactory());
        try {
            Rounds rounds = new Rounds(listener);
            while (!rounds.next(new Crossing(task, tally, group.next()))) {
                TimeUnit.MILLISECONDS.sleep(rounds.delayMs());
            }
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        }
    }

    /** Counts attempts, and knows when to give up. */
    private final class Rounds {
        private final Listener listener;
        private boolean established;
        private long lastGood = System.nanoTime();
        private int failures;

        Rounds(Listener listener) {
            this.listener = listener;
        }

        /** @return whether the task is done */
        boolean next(Crossing crossing) throws InterruptedException {
            long begun = System.nanoTime();
            long movedBefore = tally.moved();
            try {
                await(crossing.start());
                return true;
            } catch (BridgeFailure failure) {
                established |= crossing.wasEstablished();
                boolean good = tally.moved() > movedBefore
                        || crossing.wasEstablished() && System.nanoTime() - begun > GOOD_AFTER.toNanos();
                if (good) {
                    lastGood = System.nanoTime();
                    failures = 0;
                }
                boolean givesUp = task.patience() != null && System.nanoTime() - lastGood > GIVE_UP_AFTER.toNanos();
                if (failure.reason() != BridgeFailure.Reason.PASSING || !established || givesUp) {
                    throw failure;
                }
                if (crossing.wasEstablished()) { // else it is still the interruption before
                    tally.interrupted();
                    listener.interrupted(failure.getMessage());
                }
                failures++;
                return false;
            }
        }

        long delayMs() {
            return Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS << Math.min(failures - 1, 10));
        }

        private void await(CompletableFuture<Void> done) throws InterruptedException {
            while (true) {
                try {
                    done.get(PROGRESS_MS, TimeUnit.MILLISECONDS);
                    listener.progress(tally);
                    return;
                } catch (TimeoutException stillMoving) {
                    listener.progress(tally);
                } catch (ExecutionException failed) {
                    listener.progress(tally);
                    throw failed.getCause() instanceof BridgeFailure failure
                            ? failure
                            : new IllegalStateException(failed.getCause());
                }
            }
        }
    }
}
