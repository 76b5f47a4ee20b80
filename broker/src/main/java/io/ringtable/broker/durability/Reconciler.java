package io.ringtable.broker.durability;

import io.ringtable.broker.ownership.Lease;
import io.ringtable.broker.ownership.ShardStopped;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.Ownership;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.ShardState;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.work.CommitMonitor;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out what is durable after the loss of a connection. Takes the next epoch, which waits out whatever still runs
 * under the old one, and reads the tables.
 * <p>
 * Thread: committer. This thread waits here as long as the store is away, and publishers wait for their outcomes
 * meanwhile.
 */
public final class Reconciler {
    private static final Logger LOG = LoggerFactory.getLogger(Reconciler.class);
    private static final long PAUSE_NANOS = Duration.ofMillis(100).toNanos();

    /** Describes the node that asks for the shard. */
    public record Node(String id, String description, Duration lease, RingGeometry geometry) {}

    private final RingStore store;
    private final Node node;
    private final Lease lease;
    private final CommitMonitor monitor;
    private final BooleanSupplier closing;

    /** @param lease begins anew with each epoch */
    public Reconciler(RingStore store, Node node, Lease lease, CommitMonitor monitor, BooleanSupplier closing) {
        this.store = store;
        this.node = node;
        this.lease = lease;
        this.monitor = monitor;
        this.closing = closing;
    }

    /**
     * Takes the next epoch. Memory still holds only if nobody else has owned the shard since. Gate and next alone do
     * not tell, as another owner may have settled without publishing.
     *
     * @param from the epoch that memory stands for
     * @param taken told of the new epoch once this node has it; by then the earlier epoch is fenced
     * @return the shard as its tables have it
     */
    ShardState reconcile(StoreFailure cause, long from, LongConsumer taken) {
        LOG.warn("{}: taking the next epoch and reading the tables", cause.getMessage());
        monitor.storeTrouble(cause.getMessage());
        while (true) {
            try {
                long asked = lease.now();
                Ownership ownership = store.acquire(node.id(), node.description(), node.lease(), node.geometry());
                if (ownership instanceof Ownership.HeldBy held) {
                    throw new ShardStopped(
                            ShardStopped.Next.STAND_BY,
                            "RT-2100 while the store was away, node " + held.node() + " took the shard, epoch "
                                    + held.epoch(),
                            cause);
                }
                Ownership.Owned owned = (Ownership.Owned) ownership;
                long epoch = owned.epoch();
                taken.accept(epoch);
                lease.renewed(asked);
                if (owned.previousEpoch() != from) {
                    throw new ShardStopped(
                            ShardStopped.Next.RECOVER,
                            "RT-2109 the shard had epoch " + owned.previousEpoch() + " where this node left " + from
                                    + ": another node may have owned it in between, recovering from the tables",
                            cause);
                }
                ShardState state = store.recover(epoch, row -> {});
                LOG.info("the store is back: epoch={} gate={} next={}", state.epoch(), state.gate(), state.next());
                monitor.storeTrouble(null);
                return state;
            } catch (StoreFailure failure) {
                waitOut(failure);
            }
        }
    }

    /** Pauses after a passing failure. Any other failure, and the end of the broker, ends the shard. */
    void waitOut(StoreFailure failure) {
        if (!isPassing(failure)) {
            throw stopped(failure);
        }
        if (closing.getAsBoolean()) {
            throw new ShardStopped(ShardStopped.Next.FAIL, "RT-2101 stopped while the store was away", failure);
        }
        LockSupport.parkNanos(PAUSE_NANOS);
    }

    private static boolean isPassing(StoreFailure failure) {
        return switch (failure.kind()) {
            case UNAVAILABLE, OUTCOME_UNKNOWN, RETRYABLE, NOT_WRITABLE -> true;
            case REFUSED, FENCED, CORRUPT, UNSUPPORTED -> false;
        };
    }

    /** Returns what a failure that no repetition cures means for the shard. */
    public static ShardStopped stopped(StoreFailure failure) {
        ShardStopped.Next next =
                failure.kind() == StoreFailure.Kind.FENCED ? ShardStopped.Next.STAND_BY : ShardStopped.Next.FAIL;
        return new ShardStopped(next, failure.getMessage(), failure);
    }
}
