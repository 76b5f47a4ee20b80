package io.ringtable.broker.store;

import io.ringtable.broker.message.DeliveryKey;
import io.ringtable.broker.message.InboxRow;
import io.ringtable.broker.ring.RingGeometry;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * One shard of a relational disruptor table. One method is one transaction, durable when it returns; every write
 * names the caller's epoch and is refused as {@link StoreFailure.Kind#FENCED} if that is no longer the shard's.
 * <p>
 * Thread: {@link #flush}, {@link #reclaim}, {@link #discard} and {@link #alter} belong to the committer, one at a
 * time; {@link #acquire} and {@link #recover} precede them. {@link #renew}, {@link #stage} and the reads may be called by any thread at any time,
 * and do not wait for a flush longer than the engine must.
 * <p>
 * Failure: {@link StoreFailure} only.
 */
public interface RingStore extends AutoCloseable {

    StoreLimits limits();

    /** What the engine tells about its log, since the store was opened. */
    StoreCounters counters();

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
     * Reads the shard and, in order of sequence, every ring row with {@code gate <= sequence < next} without its body
     * ({@link StoredMessage#body()} null; {@code pending} as it was at publish, not as the ledger has it). Whether a row
     * makes sense is the caller's question; the store refuses only what keeps it from reading on.
     */
    ShardState recover(long epoch, Consumer<RingRow> ringRows);

    /** Makes the changes durable together, in order. */
    void alter(long epoch, List<CatalogChange> changes);

    /** Makes claims and settlements durable together; see {@link Flush}. One transaction, one round trip on servers. */
    void flush(Flush flush);

    /**
     * Copies into the backlog what the tables say is still owed by live subscriptions in {@code [gate, newGate)},
     * raises the gate, drops the ledger rows of the passed blocks, prepares the freed slots for their next lap.
     *
     * @param newGate a multiple of {@code RingGeometry.BLOCK}, at most one segment above {@code gate}
     * @param owedExpected messages that the caller's durable image says are moved; another count is
     *     {@link StoreFailure.Kind#CORRUPT} and changes nothing
     * @return summaries of the addresses whose backlog grew, as they are now
     */
    List<ShardState.BacklogSummary> reclaim(long epoch, long gate, long newGate, long owedExpected);

    /**
     * Deletes backlog rows of the address with {@code fromSequence <= sequence < toSequence} that nobody owes any more,
     * with the ledger rows of blocks that have no row left.
     *
     * @return the address's summary as it is now, with 0 messages if nothing is left
     */
    ShardState.BacklogSummary discard(long epoch, long addressId, long fromSequence, long toSequence);

    /** Stores a large body, in chunks, before the flush that claims its message. Never reuses a body id. */
    void stage(long epoch, long bodyId, byte[] body);

    /** Deletes bodies that nobody owes any more, or that were never claimed. */
    void unstage(long epoch, long[] bodyIds);

    /** Body ids in overflow that neither a ring row between gate and next nor a backlog row names. */
    long[] orphanedBodies();

    /** Ring rows by sequence, in order, bodies included; those that are no longer in the ring are left out. */
    List<StoredMessage> readRing(long[] sequences);

    /**
     * Backlog rows of the address above {@code afterSequence} that the ledger says are still owed by the bit, in order,
     * bodies included.
     *
     * @param messagesMax at most that many
     * @param bytesMax stops after the row that reaches this many body bytes; at least one row is returned if there is one
     */
    List<StoredMessage> readBacklog(
            long addressId, int group, int bit, long afterSequence, int messagesMax, long bytesMax);

    /**
     * Backlog rows of the address above {@code afterSequence} that named the bit when they were moved, in order, without their bodies
     * ({@link StoredMessage#body()} null; {@code pending} as it was at the move, whatever was settled since).
     *
     * @param messagesMax at most that many
     */
    List<StoredMessage> readBacklogFacts(long addressId, int group, int bit, long afterSequence, int messagesMax);

    /**
     * How many backlog rows of the address with {@code fromSequence <= sequence < toSequence} each live subscription still
     * owes by pending bits, {@code from_sequence} and ledger; those that owe none are left out. Called in portions, beside
     * {@link #discard}, so that nothing has to read a backlog to know what is owed in it.
     */
    List<ShardState.OwedCount> countBacklog(long addressId, long fromSequence, long toSequence);

    /** The ledger of the address's backlog. */
    List<Flush.BacklogSettlement> readBacklogLedger(long addressId);

    /**
     * What is in the inbox, lowest ids first, as one snapshot has it: who published twice has both or the first in what
     * is returned. Nothing where nobody but the broker can reach the database.
     *
     * @param leftOut names of addresses whose messages stay where they are
     * @param rowsMax at most that many
     * @param bytesMax stops before the row that passes this many body bytes; at least one row is returned if there is one
     */
    List<InboxRow> readInbox(Collection<String> leftOut, int rowsMax, long bytesMax);

    /**
     * The key by which applications' settlements are checked, the same for every owner of the shard: the proposed one if there was none.
     * Whoever comes first lays it down, owner or not. Empty where nobody but the broker can reach the database.
     */
    Optional<DeliveryKey> keepDeliveryKey(DeliveryKey proposed);

    /** A staged body, whole; {@link StoreFailure.Kind#CORRUPT} if a chunk is missing. */
    byte[] readBody(long bodyId);

    @Override
    void close();
}
