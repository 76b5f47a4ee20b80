package io.ringtable.broker.store.sqlserver;

import io.ringtable.broker.message.InboxMessage;
import io.ringtable.broker.message.InboxRow;
import io.ringtable.broker.message.Utf16;
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
import io.ringtable.broker.store.jdbc.StoreErrors;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads the shard. Each statement of the procedures touches one table, so a read may wait for a flush but never holds
 * one up.
 * <p>
 * Thread: the caller's, on a connection from the pool.
 */
final class SqlserverReader implements ShardReader {
    static final int LIST_MAX = 2000; // ids of one call
    private static final int PORTION_ROWS = 1024; // rows of the backlog that one call looks at, at most 2 MiB

    private static final int FIRST_SHARD = 0;

    private final Connection connection;
    private final StatementFiles<SqlserverStatement> files;
    private final int shardId;

    SqlserverReader(Connection connection, StatementFiles<SqlserverStatement> files, int shardId) {
        this.connection = connection;
        this.files = files;
        this.shardId = shardId;
    }

    @Override
    public DirectoryStore.Changes readDirectory(long since) throws SQLException {
        try (PreparedStatement call = connection.prepareStatement(files.sql(SqlserverStatement.READ_DIRECTORY))) {
            call.setLong(1, since);
            try (ResultSet rows = call.executeQuery()) {
                return Rows.directoryChanges(rows);
            }
        }
    }

    @Override
    public List<Setting> readSettings() throws SQLException {
        try (PreparedStatement select = prepare(SqlserverStatement.RECOVER_SETTINGS)) {
            return SqlserverSession.all(select, Rows::setting);
        }
    }

    @Override
    public List<StoredMessage> readRing(long[] sequences) throws SQLException {
        List<Long> wanted = Arrays.stream(sequences).sorted().distinct().boxed().toList();
        List<StoredMessage> messages = new ArrayList<>(wanted.size());
        try (PreparedStatement call = prepare(SqlserverStatement.READ_RING)) {
            for (int from = 0; from < wanted.size(); from += LIST_MAX) {
                JsonList.bind(call, 2, wanted.subList(from, Math.min(wanted.size(), from + LIST_MAX)));
                messages.addAll(SqlserverSession.all(call, row -> Rows.message(row, true)));
            }
        }
        return messages;
    }

    @Override
    public MessageRow readMessage(long sequence) throws SQLException {
        try (PreparedStatement call = prepare(SqlserverStatement.READ_MESSAGE)) {
            call.setLong(2, sequence);
            try (ResultSet row = call.executeQuery()) {
                return row.next() ? Rows.messageRow(row) : null;
            }
        }
    }

    @Override
    public List<StoredMessage> readBacklog(
            long addressId, int group, int bit, long afterSequence, long beforeSequence, int messagesMax, long bytesMax)
            throws SQLException {
        List<StoredMessage> messages = new ArrayList<>();
        try (PreparedStatement call = prepare(SqlserverStatement.READ_BACKLOG)) {
            call.setLong(2, addressId);
            call.setInt(3, group);
            call.setInt(4, bit);
            call.setInt(6, Math.min(messagesMax, PORTION_ROWS));
            Room room = new Room(beforeSequence, messagesMax, bytesMax);
            long after = afterSequence;
            while (room.isLeft() && after < beforeSequence - 1) {
                call.setLong(5, after);
                long lookedTo = portion(call, room, messages);
                if (lookedTo <= after) {
                    break;
                }
                after = lookedTo;
            }
        }
        return messages;
    }

    /** Counts what a caller still takes. */
    private static final class Room {
        private final long before; // no message from this sequence on
        private int messages;
        private long bytes;

        Room(long before, int messages, long bytes) {
            this.before = before;
            this.messages = messages;
            this.bytes = bytes;
        }

        boolean isLeft() {
            return messages > 0 && bytes > 0;
        }

        void take(StoredMessage message) {
            messages--;
            bytes -= message.bodyBytes();
        }
    }

    /** Returns the sequence up to which the call has looked; -1 if there is nothing more. */
    private static long portion(PreparedStatement call, Room room, List<StoredMessage> messages) throws SQLException {
        long lookedTo = -1;
        try (ResultSet head = call.executeQuery()) {
            if (head.next()) {
                lookedTo = head.getLong(1);
                lookedTo = head.wasNull() ? -1 : lookedTo;
            }
        }
        if (call.getMoreResults()) {
            try (ResultSet rows = call.getResultSet()) {
                while (room.isLeft() && rows.next()) {
                    StoredMessage message = Rows.message(rows, true);
                    if (message.sequence() < room.before) {
                        messages.add(message);
                        room.take(message);
                    }
                }
            }
        }
        return lookedTo;
    }

    @Override
    public List<StoredMessage> readBacklogFacts(long addressId, int group, int bit, long afterSequence, int messagesMax)
            throws SQLException {
        try (PreparedStatement call = prepare(SqlserverStatement.READ_BACKLOG_FACTS)) {
            call.setLong(2, addressId);
            call.setInt(3, group);
            call.setInt(4, bit);
            call.setLong(5, afterSequence);
            call.setInt(6, messagesMax);
            return SqlserverSession.all(call, row -> Rows.message(row, false));
        }
    }

    @Override
    public List<ShardState.OwedCount> countBacklog(long addressId, long fromSequence, long toSequence)
            throws SQLException {
        try (PreparedStatement call = prepare(SqlserverStatement.READ_BACKLOG_OWED)) {
            call.setLong(2, addressId);
            call.setLong(3, fromSequence);
            call.setLong(4, toSequence);
            return SqlserverSession.all(call, Rows::owedCount);
        }
    }

    @Override
    public List<Flush.BacklogSettlement> readBacklogLedger(long addressId) throws SQLException {
        try (PreparedStatement call = prepare(SqlserverStatement.READ_BACKLOG_LEDGER)) {
            call.setLong(2, addressId);
            return SqlserverSession.all(call, Rows::backlogSettlement);
        }
    }

    @Override
    public List<InboxRow> readInbox(Collection<String> leftOut, int rowsMax, long bytesMax) throws SQLException {
        // The server ignores spaces at the end of names when it compares them, and the list has each name once.
        List<String> names = leftOut.stream()
                .map(name -> name.replaceFirst(" +$", ""))
                .distinct()
                .toList();
        try (PreparedStatement call = prepare(SqlserverStatement.READ_INBOX)) {
            JsonList.bind(call, 2, names);
            call.setInt(3, rowsMax);
            call.setLong(4, bytesMax);
            return inbox(call);
        }
    }

    /** Reads messages, then settlements. */
    private static List<InboxRow> inbox(PreparedStatement call) throws SQLException {
        List<InboxRow> found = new ArrayList<>();
        try (ResultSet messages = call.executeQuery()) {
            while (messages.next()) {
                found.add(inboxMessage(messages));
            }
        }
        if (!call.getMoreResults()) {
            throw StoreErrors.damaged("read_inbox returns no settlements: the procedure is of another version");
        }
        try (ResultSet settlements = call.getResultSet()) {
            while (settlements.next()) {
                found.add(Rows.inboxSettlement(settlements, settlements.getLong(2), 3));
            }
        }
        return found;
    }

    /**
     * Reads a message of the inbox. Text lies there in two bytes a character, since only bytes could be stored as UTF-8
     * on every server. A surrogate that stands alone is not replaced here; the encoder of the message refuses it.
     */
    private static InboxRow inboxMessage(ResultSet row) throws SQLException {
        String kind = row.getString(3);
        String text = row.getString(4);
        byte[] bytes = row.getBytes(5);
        return new InboxMessage(
                row.getLong(1),
                row.getString(2),
                kind == null ? null : Rows.kind(kind),
                text != null,
                text != null ? Utf16.toUtf8(text) : bytes,
                row.getString(6),
                row.getLong(7),
                row.getString(8));
    }

    @Override
    public Set<Integer> readInboxShards() throws SQLException {
        try (PreparedStatement call = connection.prepareStatement(files.sql(SqlserverStatement.READ_INBOX_SHARDS))) {
            return Set.copyOf(SqlserverSession.all(call, row -> row.getInt(1)));
        }
    }

    @Override
    public Map<String, Set<Integer>> readPassedOn() throws SQLException {
        try (PreparedStatement call = prepare(SqlserverStatement.READ_PASSED_ON)) {
            return Rows.passedOn(call);
        }
    }

    @Override
    public List<Integer> readShards() throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(files.sql(SqlserverStatement.READ_SHARDS))) {
            select.setInt(1, FIRST_SHARD);
            return SqlserverSession.all(select, row -> row.getInt(1));
        }
    }

    @Override
    public List<Placed> readPlacement() throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(files.sql(SqlserverStatement.READ_PLACEMENT))) {
            select.setInt(1, FIRST_SHARD);
            return SqlserverSession.all(
                    select,
                    row -> new Placed(
                            row.getInt(1), row.getString(2), row.getInt(3) == 1, row.getString(4), row.getString(5)));
        }
    }

    @Override
    public byte[] readBody(long bodyId) throws SQLException {
        try (PreparedStatement call = prepare(SqlserverStatement.READ_BODY)) {
            call.setLong(2, bodyId);
            try (ResultSet chunks = call.executeQuery()) {
                return Rows.body(chunks, bodyId);
            }
        }
    }

    @Override
    public long[] orphanedBodies() throws SQLException {
        try (PreparedStatement call = prepare(SqlserverStatement.READ_ORPHANS)) {
            return SqlserverSession.all(call, row -> row.getLong(1)).stream()
                    .mapToLong(Long::longValue)
                    .toArray();
        }
    }

    private PreparedStatement prepare(SqlserverStatement statement) throws SQLException {
        PreparedStatement prepared = connection.prepareStatement(files.sql(statement));
        prepared.setInt(1, shardId);
        return prepared;
    }
}
