package io.ringtable.broker.dispatch;

import io.ringtable.broker.agent.Doorbell;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.jctools.queues.atomic.MpscUnboundedAtomicArrayQueue;

/**
 * Takes commands from any thread to the dispatcher's, in order.
 * <p>
 * Thread: any calls {@link #execute}; the dispatcher calls {@link #run}.
 */
final class CommandQueue implements Executor {
    /** Commands of one turn. */
    private static final int TURN_MAX = 1_000;

    private final Queue<Runnable> commands = new MpscUnboundedAtomicArrayQueue<>(1024);
    private final Doorbell doorbell;
    private final long turnMs;
    private final LongSupplier clockMs;

    /**
     * @param turnMs after which the rest waits for the next turn
     * @param clockMs ms since the epoch
     */
    CommandQueue(Doorbell doorbell, long turnMs, LongSupplier clockMs) {
        this.doorbell = doorbell;
        this.turnMs = turnMs;
        this.clockMs = clockMs;
    }

    @Override
    public void execute(Runnable command) {
        commands.add(command);
        doorbell.ring();
    }

    /** Runs the commands of one turn. @return how many */
    int run() {
        long until = clockMs.getAsLong() + turnMs;
        int done = 0;
        for (Runnable command;
                done < TURN_MAX && clockMs.getAsLong() < until && (command = commands.poll()) != null;
                done++) {
            command.run();
        }
        return done;
    }
}
