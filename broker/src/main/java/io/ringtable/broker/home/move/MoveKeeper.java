package io.ringtable.broker.home.move;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks how far moves are, often while there are some. Not so often once old homes owe nothing but what topics keep.
 * <p>
 * Thread: {@code address-mover}; asks memory alone, and waits for nobody.
 */
public final class MoveKeeper implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MoveKeeper.class);
    private static final long BUSY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long KEEPING_NANOS = TimeUnit.MILLISECONDS.toNanos(200); // perhaps for days
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final AddressMoves moves;
    private final CurrentMoves current;
    private final Thread thread = new Thread(this::run, "address-mover");
    private volatile boolean closing;

    private MoveKeeper(AddressMoves moves, CurrentMoves current) {
        this.moves = moves;
        this.current = current;
    }

    public static MoveKeeper start(AddressMoves moves, CurrentMoves current) {
        MoveKeeper keeper = new MoveKeeper(moves, current);
        moves.onBegun(() -> LockSupport.unpark(keeper.thread));
        keeper.thread.setDaemon(true);
        keeper.thread.start();
        return keeper;
    }

    private void run() {
        while (!closing) {
            try {
                moves.look();
            } catch (RuntimeException failure) { // of one look: the next one begins anew
                LOG.warn("moves of addresses are looked at again", failure);
            }
            LockSupport.parkNanos(pause());
        }
    }

    private long pause() {
        if (!current.isAny()) {
            return IDLE_NANOS;
        }
        return current.isAnyOwing() ? BUSY_NANOS : KEEPING_NANOS;
    }

    /** Ends the looks. A step that is under way goes on, or is refused by its shard. */
    @Override
    public void close() {
        closing = true;
        LockSupport.unpark(thread);
    }
}
