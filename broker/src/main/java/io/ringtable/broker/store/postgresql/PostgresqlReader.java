package io.ringtable.broker.store.postgresql;

import io.ringtable.broker.message.InboxRow;
import io.ringtable.broker.setting.Setting;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.MessageRow;
import io.ringtable.broker.store.RingOwnership.Placed;
import io.ringtable.broker.store.ShardState;
import io.ringtable.broker.store.StoredMessage;
import io.ringtable.broker.store.directory.DirectoryStore;
import io.ringtable.broker.store.jdbc.Rows;
import io.ringtable.broker.store.jdbc.ShardReader;
import io.ringtable.broker.store.jdbc.StatementFiles;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads the shard. Each read is one statement, and none waits for a flush. A read of the ring holds its segments while
 * it runs; reclaim does not wait for it.
 * <p>
 * Thread: the caller's, on a connection from the pool.
 */
final class PostgresqlReader implements ShardReader {
    private static final int FIRST_SHARD = 0;

    private final Connection connection;
    private final StatementFiles<PostgresqlStatement> files;
    private final int shardId;

    PostgresqlReader(Connection connection, StatementFiles<PostgresqlStatement> files, int shardId) {
        this.connection = connection;
        this.files = files;
        this.shardId = shardId;
    }

    @Override
    public DirectoryStore.Changes readDirectory(long since) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(files.sql(PostgresqlStatement.READ_DIRECTORY))) {
            select.setLong(1, since);
            try (ResultSet rows = select.executeQuery()) {
                return Rows.directoryChanges(rows);
            }
        }
    }

    @Override
    public List<Setting> readSettings() throws SQLException {
        try (PreparedStatement select = prepare(PostgresqlStatement.RECOVER_SETTINGS)) {
            return PostgresqlSession.all(select, Rows::setting);
        }
    }

    @Override
    public List<StoredMessage> readRing(long[] sequences) throws SQLException {
        ArrayParameter wanted = ArrayParameter.ofLongs();
        for (long sequence : sequences) {
            wanted.addLong(sequence);
        }
        try (PreparedStatement select = prepare(PostgresqlStatement.READ_RING)) {
            select.setObject(2, wanted);
            return PostgresqlSession.all(select, row -> Rows.message(row, true));
        }
    }

    @Override
    public MessageRow readMessage(long sequence) throws SQLException {
        try (PreparedStatement select = prepare(PostgresqlStatement.READ_MESSAGE)) {
            select.setLong(2, sequence);
            try (ResultSet row = select.executeQuery()) {
                return row.next() ? Rows.messageRow(row) : null;
            }
        }
    }

    @Override
    public List<StoredMessage> readBacklog(
            long addressId, int group, int bit, long afterSequence, long beforeSequence, int messagesMax, long bytesMax)
            throws SQLException {
        try (PreparedStatement select = prepare(PostgresqlStatement.READ_BACKLOG)) {
            select.setLong(2, addressId);
            select.setInt(3, group);
            select.setInt(4, bit);
            select.setLong(5, afterSequence);
            select.setLong(6, beforeSequence);
            select.setInt(7, messagesMax);
            select.setLong(8, bytesMax);
            return PostgresqlSession.all(select, row -> Rows.message(row, true));
        }
    }

    @Override
    public List<StoredMessage> readBacklogFacts(long addressId, int group, int bit, long afterSequence, int messagesMax)
            throws SQLException {
        try (PreparedStatement select = prepare(PostgresqlStatement.READ_BACKLOG_FACTS)) {
            select.setLong(2, addressId);
            select.setLong(3, afterSequence);
            select.setInt(4, group);
            select.setInt(5, bit);
            select.setInt(6, messagesMax);
            return PostgresqlSession.all(select, row -> Rows.message(row, false));
        }
    }

    @Override
    public List<ShardState.OwedCount> countBacklog(long addressId, long fromSequence, long toSequence)
            throws SQLException {
        try (PreparedStatement select = prepare(PostgresqlStatement.READ_BACKLOG_OWED)) {
            select.setLong(2, addressId);
            select.setLong(3, fromSequence);
            select.setLong(4, toSequence);
            return PostgresqlSession.all(select, Rows::owedCount);
        }
    }

    @Override
    public List<Flush.BacklogSettlement> readBacklogLedger(long addressId) throws SQLException {
        try (PreparedStatement select = prepare(PostgresqlStatement.READ_BACKLOG_LEDGER)) {
            select.setLong(2, addressId);
            return PostgresqlSession.all(select, Rows::backlogSettlement);
        }
    }

    @Override
    public List<InboxRow> readInbox(Collection<String> leftOut, int rowsMax, long bytesMax) throws SQLException {
        try (PreparedStatement select = prepare(PostgresqlStatement.READ_INBOX)) {
            select.setObject(2, leftOut.toArray(String[]::new));
            select.setInt(3, rowsMax);
            select.setLong(4, bytesMax);
            return PostgresqlSession.all(select, Rows::inboxRow);
        }
    }

    @Override
    public Set<Integer> readInboxShards() throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(files.sql(PostgresqlStatement.READ_INBOX_SHARDS))) {
            return Set.copyOf(PostgresqlSession.all(select, row -> row.getInt(1)));
        }
    }

    @Override
    public Map<String, Set<Integer>> readPassedOn() throws SQLException {
        try (PreparedStatement select = prepare(PostgresqlStatement.READ_PASSED_ON)) {
            return Rows.passedOn(select);
        }
    }

    @Override
    public List<Integer> readShards() throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(files.sql(PostgresqlStatement.READ_SHARDS))) {
            select.setInt(1, FIRST_SHARD);
            return PostgresqlSession.all(select, row -> row.getInt(1));
        }
    }

    @Override
    public List<Placed> readPlacement() throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(files.sql(PostgresqlStatement.READ_PLACEMENT))) {
            select.setInt(1, FIRST_SHARD);
            return PostgresqlSession.all(
                    select,
                    row -> new Placed(
                            row.getInt(1), row.getString(2), row.getBoolean(3), row.getString(4), row.getString(5)));
        }
    }

    @Override
    public byte[] readBody(long bodyId) throws SQLException {
        try (PreparedStatement select = prepare(PostgresqlStatement.READ_BODY)) {
            select.setLong(2, bodyId);
            try (ResultSet chunks = select.executeQuery()) {
                return Rows.body(chunks, bodyId);
            }
        }
    }

    @Override
    public long[] orphanedBodies() throws SQLException {
        try (PreparedStatement select = prepare(PostgresqlStatement.READ_ORPHANS)) {
            return PostgresqlSession.all(select, row -> row.getLong(1)).stream()
                    .mapToLong(Long::longValue)
                    .toArray();
        }
    }

    private PreparedStatement prepare(PostgresqlStatement statement) throws SQLException {
        PreparedStatement prepared = connection.prepareStatement(files.sql(statement));
        prepared.setInt(1, shardId);
        return prepared;
    }
}
