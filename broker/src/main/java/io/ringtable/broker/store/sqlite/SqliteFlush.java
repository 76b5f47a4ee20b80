package io.ringtable.broker.store.sqlite;

import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.StoredMessage;
import io.ringtable.broker.store.jdbc.StoreErrors;
import io.ringtable.broker.store.sqlite.SqliteTransaction.Owner;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/**
 * The statements of a flush, in the order of the design: check, claim, settle, note.
 * <p>
 * Thread: whoever holds the store's write lock. This is the loop that everything else waits for: it allocates what the
 * driver makes it allocate and no more.
 */
final class SqliteFlush {
    private final SqliteTransaction transaction;

    SqliteFlush(SqliteTransaction transaction) {
        this.transaction = transaction;
    }

    void run(Flush flush) throws SQLException {
        transaction.asOwner(flush.epoch(), owner -> {
            if (owner.gate() != flush.gate()) {
                throw StoreErrors.wrongGate(flush.gate(), owner.gate());
            }
            claim(flush.claims(), owner);
            settle(flush.settlements(), owner.gate());
            settleBacklog(flush.backlogSettlements(), owner.gate());
            redeliveries(flush.redeliveries());
            for (Flush.DispatchedTo bound : flush.dispatchedTo()) {
                transaction.update(SqliteStatement.FLUSH_DISPATCHED_TO, bound.subscriptionId(), bound.sequence());
            }
            if (flush.dispatchBound() != Flush.UNCHANGED) {
                transaction.updateOne(SqliteStatement.FLUSH_DISPATCH_BOUND, flush.dispatchBound());
            }
            return null;
        });
    }

    private void claim(List<StoredMessage> claims, Owner owner) throws SQLException {
        if (claims.isEmpty()) {
            return;
        }
        if (claims.size() > SqliteDialect.FLUSH_MESSAGES_MAX) {
            throw StoreErrors.refused(
                    "a flush of " + claims.size() + " messages > " + SqliteDialect.FLUSH_MESSAGES_MAX);
        }
        long first = claims.get(0).sequence();
        checkBounds(first, claims.size(), owner);
        PreparedStatement update = transaction.prepared(SqliteStatement.FLUSH_CLAIM);
        for (int i = 0; i < claims.size(); i++) {
            StoredMessage m = claims.get(i);
            if (m.sequence() != first + i) {
                throw StoreErrors.corrupt("claim " + m.sequence() + " does not follow " + (first + i - 1));
            }
            bind(update, m, owner.capacity());
            update.addBatch();
        }
        int[] counts = update.executeBatch();
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] != 1) {
                throw StoreErrors.corrupt("slot " + (first + i) % owner.capacity() + " does not hold sequence "
                        + (first + i - owner.capacity()) + ", which claim " + (first + i) + " supersedes");
            }
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
        update.setInt(13, (int) (m.sequence() % capacity));
        update.setLong(14, m.sequence() - capacity);
    }

    private void settle(List<Flush.Settlement> settlements, long gate) throws SQLException {
        if (settlements.isEmpty()) {
            return;
        }
        PreparedStatement upsert = transaction.prepared(SqliteStatement.FLUSH_SETTLE);
        for (Flush.Settlement s : settlements) {
            if (RingGeometry.firstOfBlock(s.block()) < gate) {
                throw StoreErrors.corrupt(
                        "settlement of block " + s.block() + " of the ring, which gate " + gate + " has passed");
            }
            upsert.setLong(1, s.block());
            upsert.setInt(2, s.bit());
            upsert.setBytes(3, s.settled());
            upsert.addBatch();
        }
        expectOnes(SqliteStatement.FLUSH_SETTLE, upsert.executeBatch());
    }

    private void settleBacklog(List<Flush.BacklogSettlement> settlements, long gate) throws SQLException {
        if (settlements.isEmpty()) {
            return;
        }
        PreparedStatement upsert = transaction.prepared(SqliteStatement.FLUSH_SETTLE_BACKLOG);
        for (Flush.BacklogSettlement s : settlements) {
            if (RingGeometry.firstOfBlock(s.block()) >= gate) {
                throw StoreErrors.corrupt(
                        "settlement of block " + s.block() + " of the backlog, which gate " + gate + " has not passed");
            }
            upsert.setLong(1, s.addressId());
            upsert.setLong(2, s.block());
            upsert.setInt(3, s.bit());
            upsert.setBytes(4, s.settled());
            upsert.addBatch();
        }
        expectOnes(SqliteStatement.FLUSH_SETTLE_BACKLOG, upsert.executeBatch());
    }

    private void redeliveries(List<Flush.Redelivery> redeliveries) throws SQLException {
        for (Flush.Redelivery r : redeliveries) {
            if (r.count() == 0) {
                transaction.update(SqliteStatement.FLUSH_REDELIVERY_OVER, r.sequence(), r.subscriptionId());
            } else {
                transaction.updateOne(
                        SqliteStatement.FLUSH_REDELIVERY, r.sequence(), r.subscriptionId(), r.count(), r.notBefore());
            }
        }
    }

    private static void expectOnes(SqliteStatement statement, int[] counts) {
        for (int count : counts) {
            SqliteTransaction.expectOne(statement, count);
        }
    }
}
