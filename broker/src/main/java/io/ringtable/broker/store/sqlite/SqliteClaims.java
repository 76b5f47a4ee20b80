package io.ringtable.broker.store.sqlite;

import io.ringtable.broker.message.Message;
import io.ringtable.broker.store.StoredMessage;
import io.ringtable.broker.store.jdbc.StoreErrors;
import io.ringtable.broker.store.sqlite.SqliteTransaction.Owner;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/**
 * Overwrites slots behind the gate with new messages: in order, without a hole, each superseding the message of one lap
 * before.
 * <p>
 * Everything else waits for this loop. Handing values to SQLite one by one takes most of its time. So messages with the
 * usual facts go by a statement that has these facts in its text.
 * <p>
 * Thread: the holder of the store's write lock.
 */
final class SqliteClaims {
    private final SqliteTransaction transaction;
    private final SqliteGrowth growth;

    SqliteClaims(SqliteTransaction transaction, SqliteGrowth growth) {
        this.transaction = transaction;
        this.growth = growth;
    }

    void run(List<StoredMessage> claims, Owner owner) throws SQLException {
        if (claims.isEmpty()) {
            return;
        }
        if (claims.size() > SqliteDialect.FLUSH_MESSAGES_MAX) {
            throw StoreErrors.refused(
                    "a flush of " + claims.size() + " messages > " + SqliteDialect.FLUSH_MESSAGES_MAX);
        }
        long first = claims.get(0).sequence();
        checkBounds(first, claims.size(), owner);
        growth.coming(claims);
        PreparedStatement plain = transaction.prepared(SqliteStatement.FLUSH_CLAIM_PLAIN);
        PreparedStatement full = transaction.prepared(SqliteStatement.FLUSH_CLAIM);
        int plains = 0;
        for (int i = 0; i < claims.size(); i++) {
            StoredMessage m = claims.get(i);
            if (m.sequence() != first + i) {
                throw StoreErrors.corrupt("claim " + m.sequence() + " does not follow " + (first + i - 1));
            }
            if (isPlain(m)) {
                bindPlain(plain, m, owner.capacity());
                plain.addBatch();
                plains++;
            } else {
                bind(full, m, owner.capacity());
                full.addBatch();
            }
        }
        long last = first + claims.size() - 1;
        if (plains > 0) {
            expectOnes(plain.executeBatch(), first, last);
        }
        if (plains < claims.size()) {
            expectOnes(full.executeBatch(), first, last);
        }
    }

    private void checkBounds(long first, int count, Owner owner) throws SQLException {
        if (first < owner.gate() || first + count > owner.gate() + owner.capacity()) {
            throw StoreErrors.corrupt("claims " + first + " to " + (first + count - 1) + " are not all within gate "
                    + owner.gate() + " and gate + capacity " + (owner.gate() + owner.capacity()));
        }
        int before = (int) Math.floorMod(first - 1, (long) owner.capacity());
        try (ResultSet row =
                transaction.bind(SqliteStatement.FLUSH_PREDECESSOR, before).executeQuery()) {
            if (!row.next() || row.getLong(1) != first - 1) {
                throw StoreErrors.corrupt(
                        "claim " + first + " leaves a hole: slot " + before + " does not hold " + (first - 1));
            }
        }
    }

    private static boolean isPlain(StoredMessage m) {
        return m.priority() == Message.PRIORITY_NORMAL
                && (m.expiresAt() | m.deliverAt() | m.group() | m.bodyId()) == 0
                && m.body() != null
                && m.body().length == m.bodyBytes();
    }

    private static void bindPlain(PreparedStatement update, StoredMessage m, int capacity) throws SQLException {
        update.setLong(1, m.sequence());
        update.setLong(2, m.addressId());
        update.setLong(3, m.publishedAt());
        update.setInt(4, m.referenceCount());
        update.setLong(5, m.pending());
        update.setBytes(6, m.body());
        update.setInt(7, m.loginId());
        update.setInt(8, capacity);
    }

    private static void bind(PreparedStatement update, StoredMessage m, int capacity) throws SQLException {
        update.setLong(1, m.sequence());
        update.setLong(2, m.addressId());
        update.setLong(3, m.publishedAt());
        update.setInt(4, m.priority());
        update.setLong(5, m.expiresAt());
        update.setLong(6, m.deliverAt());
        update.setInt(7, m.group());
        update.setInt(8, m.referenceCount());
        update.setLong(9, m.pending());
        update.setLong(10, m.bodyId());
        update.setInt(11, m.bodyBytes());
        update.setBytes(12, m.body());
        update.setInt(13, m.loginId());
        update.setInt(14, capacity);
    }

    private static void expectOnes(int[] counts, long first, long last) {
        for (int count : counts) {
            if (count != 1) {
                throw StoreErrors.corrupt("a slot of the claims " + first + " to " + last
                        + " does not hold the sequence of one lap before, which its claim supersedes");
            }
        }
    }
}
