package io.ringtable.broker.store;

import io.ringtable.broker.message.DeliveryKey;
import io.ringtable.broker.ring.RingGeometry;
import java.time.Duration;
import java.util.Optional;

/**
 * Says who owns a shard: the part of the port for those who take it, hold it, and give it up.
 * <p>
 * Thread: {@link #acquire} precedes every write, and waits out whatever still runs; the rest may be called by any thread at
 * any time.
 */
public interface RingOwnership {

    /**
     * Takes the shard if it is free, if its lease has ended, or if {@code nodeId} held it last. The epoch rises, at least to
     * the milliseconds since 1970 by the database's clock: so none comes back that was given after the backup from which the
     * database was restored, or that a replica had not heard of when it was promoted.
     * A lease that begins in the future, as the database's clock was set back, is made to begin now.
     * Lays the ring of a new shard. Migrates the schema while the shard is held (or there is none).
     *
     * @param nodeId remembered by a node across restarts
     * @param description for people: host and process
     * @param lease from now, by the database's clock
     * @param geometry of a new ring; an existing one with another capacity is refused
     */
    Ownership acquire(String nodeId, String description, Duration lease, RingGeometry geometry);

    /** Fails as {@link StoreFailure.Kind#FENCED} if the shard has another epoch now. Reads, and waits for no flush. */
    void checkOwner(long epoch);

    /** Begins the lease anew. */
    void renew(long epoch);

    /** Ends the lease at once: a stand-by may take over without waiting. */
    void resign(long epoch);

    /**
     * The key by which applications' settlements are checked, the same for every owner of the shard: the proposed one if there was none.
     * Whoever comes first lays it down, owner or not. Empty where nobody but the broker can reach the database.
     */
    Optional<DeliveryKey> keepDeliveryKey(DeliveryKey proposed);
}
