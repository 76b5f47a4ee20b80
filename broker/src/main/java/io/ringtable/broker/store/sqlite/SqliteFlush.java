package io.ringtable.broker.store.sqlite;

import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.jdbc.StoreErrors;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/**
 * Runs the statements of a flush, in the order of the design: check, claim, settle, note.
 * <p>
 * Thread: any that holds the store's write lock.
 */
final class SqliteFlush {
    private final SqliteTransaction transaction;
    private final SqliteClaims claims;

    SqliteFlush(SqliteTransaction transaction, SqliteGrowth growth) {
        this.transaction = transaction;
        this.claims = new SqliteClaims(transaction, growth);
    }

    void run(Flush flush) throws SQLException {
        transaction.asOwner(flush.epoch(), owner -> {
            if (owner.gate() != flush.gate()) {
                throw StoreErrors.wrongGate(flush.gate(), owner.gate());
            }
            if (!flush.inboxIds().isEmpty()) {
                throw StoreErrors.count("inbox", flush.inboxIds().size(), 0); // a file has no inbox
            }
            claims.run(flush.claims(), owner);
            settle(flush.settlements(), owner.gate());
            settleBacklog(flush.backlogSettlements(), owner.gate());
            redeliveries(flush.redeliveries());
            for (Flush.DispatchBound bound : flush.dispatchBounds()) {
                transaction.update(SqliteStatement.FLUSH_DISPATCHED_TO, bound.subscriptionId(), bound.sequence());
            }
            if (flush.dispatchBound() != Flush.UNCHANGED) {
                transaction.updateOne(SqliteStatement.FLUSH_DISPATCH_BOUND, flush.dispatchBound());
            }
            for (Flush.Produced p : flush.producers()) {
                transaction.updateOne(SqliteStatement.FLUSH_PRODUCER, p.producerId(), p.lastNumber(), p.usedAt());
            }
            keep(flush.duplicateIds());
            for (Flush.Replayed r : flush.replays()) {
                transaction.updateOne(SqliteStatement.FLUSH_REPLAY, r.subscriptionId(), r.position());
            }
            return null;
        });
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

    private void keep(List<Flush.DuplicateId> ids) throws SQLException {
        if (ids.isEmpty()) {
            return;
        }
        PreparedStatement upsert = transaction.prepared(SqliteStatement.FLUSH_DUPLICATE_ID);
        for (Flush.DuplicateId d : ids) {
            upsert.setLong(1, d.addressId());
            upsert.setInt(2, d.position());
            upsert.setLong(3, d.ordinal());
            upsert.setBytes(4, d.id());
            upsert.addBatch();
        }
        expectOnes(SqliteStatement.FLUSH_DUPLICATE_ID, upsert.executeBatch());
    }

    private static void expectOnes(SqliteStatement statement, int[] counts) {
        for (int count : counts) {
            SqliteTransaction.expectOne(statement, count);
        }
    }
}
