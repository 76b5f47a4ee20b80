package io.ringtable.broker.store.jdbc;

import io.ringtable.broker.message.InboxRow;
import io.ringtable.broker.setting.Setting;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.MessageRow;
import io.ringtable.broker.store.RingOwnership.Placed;
import io.ringtable.broker.store.ShardState;
import io.ringtable.broker.store.StoredMessage;
import io.ringtable.broker.store.directory.DirectoryStore;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Runs the reads of {@link io.ringtable.broker.store.RingStore} on a pooled connection that comes and goes with the
 * call. A method reads everything as of one instant.
 * <p>
 * Thread: the caller's.
 */
public interface ShardReader {

    List<StoredMessage> readRing(long[] sequences) throws SQLException;

    MessageRow readMessage(long sequence) throws SQLException;

    List<StoredMessage> readBacklog(
            long addressId, int group, int bit, long afterSequence, long beforeSequence, int messagesMax, long bytesMax)
            throws SQLException;

    List<StoredMessage> readBacklogFacts(long addressId, int group, int bit, long afterSequence, int messagesMax)
            throws SQLException;

    List<ShardState.OwedCount> countBacklog(long addressId, long fromSequence, long toSequence) throws SQLException;

    List<Flush.BacklogSettlement> readBacklogLedger(long addressId) throws SQLException;

    List<InboxRow> readInbox(Collection<String> leftOut, int rowsMax, long bytesMax) throws SQLException;

    Set<Integer> readInboxShards() throws SQLException;

    Map<String, Set<Integer>> readPassedOn() throws SQLException;

    /** Returns the numbers of all shards that have a ring in the database. */
    List<Integer> readShards() throws SQLException;

    /** Returns where the database knows shards to be. */
    List<Placed> readPlacement() throws SQLException;

    /** Returns what administrators have set at run time, as the table has it. */
    List<Setting> readSettings() throws SQLException;

    byte[] readBody(long bodyId) throws SQLException;

    long[] orphanedBodies() throws SQLException;

    DirectoryStore.Changes readDirectory(long since) throws SQLException;
}
