package io.ringtable.broker.store.sqlite;

import io.ringtable.broker.message.InboxRow;
import io.ringtable.broker.ring.RingGeometry;
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
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads from the file. Each read is short and sees one snapshot: an open snapshot keeps the log from starting anew.
 * <p>
 * Thread: the caller's, on a connection from the pool.
 */
final class SqliteReader implements ShardReader {
    private final Connection connection;
    private final StatementFiles<SqliteStatement> files;

    SqliteReader(Connection connection, StatementFiles<SqliteStatement> files) {
        this.connection = connection;
        this.files = files;
    }

    @Override
    public DirectoryStore.Changes readDirectory(long since) throws SQLException {
        try (PreparedStatement select = prepare(SqliteStatement.READ_DIRECTORY)) {
            select.setLong(1, since);
            try (ResultSet rows = select.executeQuery()) {
                return Rows.directoryChanges(rows);
            }
        }
    }

    @Override
    public List<Setting> readSettings() throws SQLException {
        List<Setting> settings = new ArrayList<>();
        try (PreparedStatement select = prepare(SqliteStatement.RECOVER_SETTINGS);
                ResultSet rows = select.executeQuery()) {
            while (rows.next()) {
                settings.add(Rows.setting(rows));
            }
        }
        return settings;
    }

    @Override
    public List<StoredMessage> readRing(long[] sequences) throws SQLException {
        long[] ordered = sequences.clone();
        Arrays.sort(ordered);
        return snapshot(() -> {
            List<StoredMessage> messages = new ArrayList<>(ordered.length);
            try (PreparedStatement owner = prepare(SqliteStatement.CHECK_OWNER);
                    PreparedStatement slot = prepare(SqliteStatement.READ_RING);
                    PreparedStatement settlements = prepare(SqliteStatement.READ_RING_SETTLEMENTS);
                    ResultSet shard = owner.executeQuery()) {
                shard.next();
                long gate = shard.getLong(2);
                int capacity = shard.getInt(3);
                Ledger ledger = new Ledger(settlements, 1);
                for (long sequence : ordered) {
                    if (sequence >= gate) {
                        slot.setLong(1, sequence % capacity);
                        slot.setLong(2, sequence);
                        try (ResultSet row = slot.executeQuery()) {
                            if (row.next()) {
                                messages.add(Rows.message(row, ledger.unsettled(sequence, row.getLong(8)), true));
                            }
                        }
                    }
                }
            }
            return messages;
        });
    }

    @Override
    public MessageRow readMessage(long sequence) throws SQLException {
        return snapshot(() -> {
            try (PreparedStatement select = prepare(SqliteStatement.READ_MESSAGE)) {
                select.setLong(1, sequence);
                try (ResultSet row = select.executeQuery()) {
                    return row.next() ? messageRow(row) : null;
                }
            }
        });
    }

    private MessageRow messageRow(ResultSet row) throws SQLException {
        boolean inRing = row.getBoolean(13);
        try (PreparedStatement settlements =
                prepare(inRing ? SqliteStatement.READ_RING_SETTLEMENTS : SqliteStatement.READ_BACKLOG_SETTLEMENTS)) {
            if (!inRing) {
                settlements.setLong(1, row.getLong(2));
            }
            Ledger ledger = new Ledger(settlements, inRing ? 1 : 2);
            return Rows.messageRow(row, ledger.unsettled(row.getLong(1), row.getLong(8)));
        }
    }

    @Override
    public List<StoredMessage> readBacklog(
            long addressId, int group, int bit, long afterSequence, long beforeSequence, int messagesMax, long bytesMax)
            throws SQLException {
        return snapshot(() -> {
            List<StoredMessage> messages = new ArrayList<>();
            try (PreparedStatement backlog = prepare(SqliteStatement.READ_BACKLOG);
                    PreparedStatement settlements = prepare(SqliteStatement.READ_BACKLOG_SETTLEMENTS)) {
                backlog.setLong(1, addressId);
                backlog.setLong(2, afterSequence);
                backlog.setInt(3, group);
                backlog.setInt(4, bit);
                backlog.setLong(5, beforeSequence);
                settlements.setLong(1, addressId);
                Ledger ledger = new Ledger(settlements, 2);
                long bytes = 0;
                try (ResultSet rows = backlog.executeQuery()) {
                    while (messages.size() < messagesMax && bytes < bytesMax && rows.next()) {
                        long owed = ledger.unsettled(rows.getLong(1), rows.getLong(8));
                        if ((owed >> bit & 1) == 1) {
                            messages.add(Rows.message(rows, owed, true));
                            bytes += rows.getInt(10);
                        }
                    }
                }
            }
            return messages;
        });
    }

    @Override
    public List<StoredMessage> readBacklogFacts(long addressId, int group, int bit, long afterSequence, int messagesMax)
            throws SQLException {
        List<StoredMessage> messages = new ArrayList<>();
        try (PreparedStatement select = prepare(SqliteStatement.READ_BACKLOG_FACTS)) {
            select.setLong(1, addressId);
            select.setLong(2, afterSequence);
            select.setInt(3, group);
            select.setInt(4, bit);
            select.setInt(5, messagesMax);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    messages.add(Rows.message(rows, false));
                }
            }
        }
        return messages;
    }

    @Override
    public List<ShardState.OwedCount> countBacklog(long addressId, long fromSequence, long toSequence)
            throws SQLException {
        List<ShardState.OwedCount> counts = new ArrayList<>();
        try (PreparedStatement select = prepare(SqliteStatement.READ_BACKLOG_OWED)) {
            select.setLong(1, addressId);
            select.setLong(2, fromSequence);
            select.setLong(3, toSequence);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    counts.add(Rows.owedCount(rows));
                }
            }
        }
        return counts;
    }

    @Override
    public List<Flush.BacklogSettlement> readBacklogLedger(long addressId) throws SQLException {
        List<Flush.BacklogSettlement> ledger = new ArrayList<>();
        try (PreparedStatement select = prepare(SqliteStatement.READ_BACKLOG_LEDGER)) {
            select.setLong(1, addressId);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    ledger.add(Rows.backlogSettlement(rows));
                }
            }
        }
        return ledger;
    }

    /** Returns nothing: only the broker can open the file. */
    @Override
    public List<InboxRow> readInbox(Collection<String> leftOut, int rowsMax, long bytesMax) {
        return List.of();
    }

    @Override
    public Set<Integer> readInboxShards() {
        return Set.of();
    }

    @Override
    public Map<String, Set<Integer>> readPassedOn() {
        return Map.of();
    }

    /** Returns none: each file has a shard of its own, and says so by its name. */
    @Override
    public List<Integer> readShards() {
        return List.of();
    }

    @Override
    public List<Placed> readPlacement() {
        return List.of();
    }

    @Override
    public byte[] readBody(long bodyId) throws SQLException {
        try (PreparedStatement select = prepare(SqliteStatement.READ_BODY)) {
            select.setLong(1, bodyId);
            try (ResultSet chunks = select.executeQuery()) {
                return Rows.body(chunks, bodyId);
            }
        }
    }

    @Override
    public long[] orphanedBodies() throws SQLException {
        try (PreparedStatement select = prepare(SqliteStatement.READ_ORPHANS);
                ResultSet rows = select.executeQuery()) {
            List<Long> orphans = new ArrayList<>();
            while (rows.next()) {
                orphans.add(rows.getLong(1));
            }
            return orphans.stream().mapToLong(Long::longValue).toArray();
        }
    }

    /** Returns the shard's current epoch. */
    long epoch() throws SQLException {
        try (PreparedStatement owner = prepare(SqliteStatement.CHECK_OWNER);
                ResultSet shard = owner.executeQuery()) {
            return shard.next() ? shard.getLong(1) : 0;
        }
    }

    private PreparedStatement prepare(SqliteStatement statement) throws SQLException {
        return connection.prepareStatement(files.sql(statement));
    }

    private <T> T snapshot(SqliteTransaction.Body<T> body) throws SQLException {
        try (Statement frame = connection.createStatement()) {
            frame.execute(files.sql(SqliteStatement.READ_BEGIN));
            try {
                return body.run();
            } finally {
                frame.execute(files.sql(SqliteStatement.READ_END));
            }
        }
    }

    /** Holds the ledger of one block at a time: messages come in order. */
    private static final class Ledger {
        private final PreparedStatement select; // bit, settled
        private final int blockParameter;
        private final byte[][] settled = new byte[RingGeometry.BITS][];
        private long block = -1;

        Ledger(PreparedStatement select, int blockParameter) {
            this.select = select;
            this.blockParameter = blockParameter;
        }

        long unsettled(long sequence, long pending) throws SQLException {
            load(RingGeometry.blockOf(sequence));
            int index = RingGeometry.indexInBlock(sequence);
            long left = pending;
            for (long bits = pending; bits != 0; bits &= bits - 1) {
                int bit = Long.numberOfTrailingZeros(bits);
                if (settled[bit] != null && (settled[bit][index / 8] >> index % 8 & 1) == 1) {
                    left &= ~(1L << bit);
                }
            }
            return left;
        }

        private void load(long wanted) throws SQLException {
            if (wanted != block) {
                Arrays.fill(settled, null);
                select.setLong(blockParameter, wanted);
                try (ResultSet rows = select.executeQuery()) {
                    while (rows.next()) {
                        settled[rows.getInt(1)] = rows.getBytes(2);
                    }
                }
                block = wanted;
            }
        }
    }
}
