package io.ringtable.broker;

import io.ringtable.broker.amqp.AmqpServer;
import io.ringtable.broker.ownership.ShardStopped;
import io.ringtable.broker.shard.OwnedShards;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Holds the server and the shards of one period. The period begins when this node has its shards, save those whose
 * database is away. It is over when the node serves none of them, or closes. A node of a cluster goes on without any.
 * <p>
 * Thread: any.
 */
final class ServingPeriod {
    /**
     * Says why a period is over.
     *
     * @param shard that ended it; {@link NodeState#NO_SHARD} if none did
     * @param failure null if the lease of the shard was not renewed in time, or the node closes
     * @param verdict what follows, if nothing but an operator helps; else null
     */
    record End(int shard, Throwable failure, Restarts.Verdict verdict) {
        /** Tells whether the node waits for another one, or for its database. */
        boolean standsBy() {
            return verdict == null
                    && (failure == null
                            || failure instanceof ShardStopped reason && reason.next() == ShardStopped.Next.STAND_BY);
        }
    }

    private final OwnedShards shards;
    private final AmqpServer server;
    private final Runnable onOver;
    private final AtomicReference<End> end = new AtomicReference<>();

    /** @param onOver hears, on any thread, that the period is over */
    ServingPeriod(OwnedShards shards, AmqpServer server, Runnable onOver) {
        this.shards = shards;
        this.server = server;
        this.onOver = onOver;
    }

    OwnedShards shards() {
        return shards;
    }

    AmqpServer server() {
        return server;
    }

    /** Ends the period; the first reason counts. */
    void end(int shard, Throwable failure) {
        end(new End(shard, failure, null));
    }

    void end(End why) {
        end.compareAndSet(null, why);
        onOver.run();
    }

    /** Returns why the period is over; null while it lasts. */
    End over() {
        return end.get();
    }
}
