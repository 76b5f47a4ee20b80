package io.ringtable.broker.shard;

import io.ringtable.broker.ownership.Lease;
import io.ringtable.broker.ownership.ShardStopped;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells how a shard ends: closed in order, or by the first failure of one of its agents. The owner of the shard hears
 * of that failure, and of no other.
 * <p>
 * Thread: any.
 */
final class ShardEnd {
    private static final Logger LOG = LoggerFactory.getLogger(ShardEnd.class);

    private final Lease lease;
    private final Consumer<ShardStopped> onStopped;
    private final AtomicBoolean stopped = new AtomicBoolean();
    private volatile boolean closing; // written by the thread that closes the shard

    /** @param onStopped hears of the first failure, on the thread of the agent that failed */
    ShardEnd(Lease lease, Consumer<ShardStopped> onStopped) {
        this.lease = lease;
        this.onStopped = onStopped;
    }

    /** Hears of an agent that has ended. */
    void agentFailed(Throwable failure) {
        ShardStopped reason = failure instanceof ShardStopped known
                ? known
                : new ShardStopped(ShardStopped.Next.FAIL, "RT-2107 an agent failed: " + failure, failure);
        if (reason.next() == ShardStopped.Next.STAND_BY) {
            lease.end(); // another node has the shard: not even a farewell may leave
        }
        if (!stopped.compareAndSet(false, true)) {
            return;
        }
        if (closing) {
            LOG.warn("RT-2112 the shard closed without its last flush: settled messages come again, flagged", failure);
        } else {
            onStopped.accept(reason); // before the log, since logging may fail as well
            LOG.error("the shard stops: {}", reason.getMessage(), reason.getCause());
        }
    }

    /** Makes the owner hear of nothing: the shard has not even started. */
    void notBegun() {
        stopped.set(true);
    }

    /** Says that from now on the shard has only its last flush to make. */
    void close() {
        closing = true;
    }

    boolean isClosing() {
        return closing;
    }

    /** Tells whether nothing of the shard can be waited for: an agent has failed, or the lease is over. */
    boolean isOver() {
        return stopped.get() || lease.isOver();
    }
}
