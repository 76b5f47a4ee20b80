package io.ringtable.broker.store;

import io.ringtable.broker.message.DeliveryKey;
import io.ringtable.broker.ring.RingGeometry;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Says who owns a shard: the part of the port for callers that take a shard, hold it, and give it up.
 * <p>
 * Thread: {@link #acquire} precedes every write, and waits out whatever still runs; any thread may call the rest at any
 * time.
 */
public interface RingOwnership {

    /**
     * Tells which shards lie in a database, and where it knows the others to be.
     *
     * @param held numbers of the shards that have a ring in the database
     * @param recorded rows for all shards of a broker with several databases; none while all lie in one
     */
    record Placements(Set<Integer> held, List<Placed> recorded) {

        /** Returns what the database keeps about a shard; null if nothing. */
        public Placed of(int shard) {
            return recorded.stream()
                    .filter(row -> row.shard() == shard)
                    .findFirst()
                    .orElse(null);
        }
    }

    /**
     * Says where one shard of the broker lies, as a database keeps it.
     *
     * @param shard its number
     * @param token random, at most 40 characters, made once for each shard and the same in all databases of the broker
     * @param here whether the shard lies in the database that keeps the row
     * @param store name of its store in the configuration
     * @param place address of its database, for people, without secrets
     */
    record Placed(int shard, String token, boolean here, String store, String place) {

        /** Returns the row as the database keeps it in which the shard lies, or as another one does. */
        public Placed here(boolean isHere) {
            return new Placed(shard, token, isHere, store, place);
        }
    }

    /**
     * Lays the tables in a database that has none, and neither a shard nor a ring.
     *
     * @return false if the schema is an earlier one: the call that takes a shard makes its steps
     */
    boolean prepare();

    /**
     * Takes the shard if it is free, if its lease has ended, or if {@code nodeId} held it last. The epoch rises, at
     * least to the milliseconds since 1970 by the database's clock. So no epoch comes back, even if a restored backup
     * or a promoted replica has never heard of it.
     * <p>
     * If the database's clock was set back, a lease that begins in the future begins now instead. The call lays the
     * ring of a new shard. The call migrates the schema while it holds the shard, or while there is none. As long as
     * another node holds another shard of a database that needs a step, the answer is that node.
     *
     * @param nodeId remembered by a node across restarts
     * @param description for people: host and process
     * @param lease from now, by the database's clock
     * @param geometry of a new ring; an existing ring with another capacity is refused
     */
    Ownership acquire(String nodeId, String description, Duration lease, RingGeometry geometry);

    /** Fails as {@link StoreFailure.Kind#FENCED} if the shard has another epoch now. Reads, and waits for no flush. */
    void checkOwner(long epoch);

    /** Begins the lease anew. */
    void renew(long epoch);

    /** Ends the lease immediately: a stand-by may take over without waiting. */
    void resign(long epoch);

    /**
     * Returns how many shards the broker of the store's place has, by the highest number of one that lies there or is
     * known there. Asked of any of them, once it has been taken.
     */
    int shards();

    /** Returns which shards lie in the store's place, and where it knows others to be. Asked before any is taken. */
    Placements placements();

    /**
     * Keeps where shards of the broker lie. A row that is there keeps its token, and is left alone if it has another
     * one. Asked of a store whose shard has been taken.
     */
    void keepPlacements(List<Placed> rows);

    /**
     * Returns the key that checks applications' settlements, the same for every owner of the shard. The first caller
     * lays the proposed key down, owner or not. Empty if only the broker can reach the database.
     */
    Optional<DeliveryKey> keepDeliveryKey(DeliveryKey proposed);
}
