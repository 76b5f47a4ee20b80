package io.ringtable.broker.durability;

import io.ringtable.broker.ownership.ShardStopped;
import io.ringtable.broker.state.RingState;
import io.ringtable.broker.store.ShardState;
import io.ringtable.broker.store.StoreFailure;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Runs a verb of the store to a known end: passing failures are repeated, an unknown outcome is read from the tables
 * under a new epoch, never guessed.
 * <p>
 * Thread: committer.
 */
public final class Transactor {
    private static final int TRIES_MAX = 10;
    private static final long PAUSE_NANOS = 2_000_000;

    private final RingState state;
    private final Reconciler reconciler;

    public Transactor(RingState state, Reconciler reconciler) {
        this.state = state;
        this.reconciler = reconciler;
    }

    /**
     * @param verb one transaction, which names the epoch anew at each try
     * @param found given the tables after an unknown outcome: the verb's result if it happened, null if it did not;
     *     throws {@link ShardStopped} if the tables are at neither place
     * @throws StoreFailure of kind REFUSED or NOT_WRITABLE only: nothing is durable
     */
    public <T> T run(Supplier<T> verb, Function<ShardState, T> found) {
        for (int tries = 1; ; tries++) {
            try {
                return verb.get();
            } catch (StoreFailure failure) {
                switch (failure.kind()) {
                    case RETRYABLE -> {
                        if (tries == TRIES_MAX) {
                            throw new StoreFailure(
                                    StoreFailure.Kind.NOT_WRITABLE,
                                    failure.code(),
                                    "given up after " + tries + " tries: " + failure.getMessage(),
                                    failure);
                        }
                        LockSupport.parkNanos(PAUSE_NANOS << Math.min(tries, 6));
                    }
                    case UNAVAILABLE, OUTCOME_UNKNOWN -> {
                        ShardState tables = reconciler.reconcile(failure, state.epoch(), state::tookEpoch);
                        T result = found.apply(tables);
                        state.numbersAreNewFrom(tables.next());
                        if (result != null) {
                            return result;
                        }
                    }
                    case REFUSED, NOT_WRITABLE -> throw failure;
                    case FENCED, CORRUPT, UNSUPPORTED -> throw Reconciler.stopped(failure);
                }
            }
        }
    }

    /** Runs a verb that changes nothing, again and again while the store is away. */
    public <T> T read(Supplier<T> verb) {
        while (true) {
            try {
                return verb.get();
            } catch (StoreFailure failure) {
                reconciler.waitOut(failure);
            }
        }
    }

    /** For a {@code found} that must not be reached by tables at another place than before or after its verb. */
    public static ShardStopped elsewhere(String expected, ShardState tables) {
        return new ShardStopped(
                ShardStopped.Next.RECOVER,
                "RT-2102 after the store came back its tables say gate=" + tables.gate() + " next=" + tables.next()
                        + ", expected " + expected + ": recovering from the tables",
                null);
    }
}
