package io.ringtable.broker.store.sqlite;

import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.ShardState.BacklogSummary;
import io.ringtable.broker.store.jdbc.Rows;
import io.ringtable.broker.store.jdbc.StoreErrors;
import io.ringtable.broker.store.sqlite.SqliteTransaction.Owner;
import java.nio.ByteBuffer;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Clears the next stretch of the ring: moves what is still owed there to the backlog, and raises the gate.
 * <p>
 * The class works block by block. If a block's references at publish equal its settlements, nothing can be owed, and
 * the count is its whole cost. Otherwise the exact statement looks at every message, its live subscriptions and their
 * settlements. The sum of all moves must be what the caller expects.
 * <p>
 * Thread: the holder of the store's write lock.
 */
final class SqliteReclaim {
    private final SqliteTransaction transaction;
    private final SqliteGrowth growth;

    SqliteReclaim(SqliteTransaction transaction, SqliteGrowth growth) {
        this.transaction = transaction;
        this.growth = growth;
    }

    List<BacklogSummary> run(long epoch, long gate, long newGate, long owedExpected) throws SQLException {
        return transaction.asOwner(epoch, owner -> {
            check(owner, gate, newGate);
            growth.clearing();
            long owed = 0;
            for (long first = gate; first < newGate; first += RingGeometry.BLOCK) {
                if (references(first, owner.capacity()) != settled(RingGeometry.blockOf(first))) {
                    owed += move(first, owner.capacity());
                }
                growth.cleared(first, owner.capacity());
            }
            if (owed != owedExpected) {
                throw StoreErrors.corrupt("the tables owe " + owed + " messages in [" + gate + ", " + newGate
                        + ") where the committer counts " + owedExpected);
            }
            transaction.update(SqliteStatement.RECLAIM_SETTLEMENTS, RingGeometry.blockOf(newGate));
            transaction.updateOne(SqliteStatement.RECLAIM_GATE, newGate);
            return owed == 0 ? List.of() : summaries(gate, newGate);
        });
    }

    private static void check(Owner owner, long gate, long newGate) {
        if (owner.gate() != gate) {
            throw StoreErrors.wrongGate(gate, owner.gate());
        }
        if (newGate % RingGeometry.BLOCK != 0
                || newGate < gate
                || newGate > gate + owner.capacity() / RingGeometry.SEGMENTS) {
            throw StoreErrors.corrupt("new gate " + newGate + " is not a multiple of " + RingGeometry.BLOCK
                    + " at most one segment above gate " + gate);
        }
    }

    /** Returns the references at publish in the block; refuses a block that is not full of its own messages. */
    private long references(long first, int capacity) throws SQLException {
        long slot = first % capacity;
        long last = first + RingGeometry.BLOCK - 1;
        try (ResultSet row = transaction
                .bind(SqliteStatement.RECLAIM_COUNT, slot, slot + RingGeometry.BLOCK - 1, first, last)
                .executeQuery()) {
            row.next();
            if (row.getLong(1) != RingGeometry.BLOCK) {
                throw StoreErrors.corrupt("slots " + slot + " to " + (slot + RingGeometry.BLOCK - 1) + " hold "
                        + row.getLong(1) + " of the sequences " + first + " to " + last);
            }
            return row.getLong(2);
        }
    }

    private long settled(long block) throws SQLException {
        long count = 0;
        try (ResultSet rows =
                transaction.bind(SqliteStatement.RECLAIM_LEDGER, block).executeQuery()) {
            while (rows.next()) {
                ByteBuffer bitmap = ByteBuffer.wrap(rows.getBytes(1));
                while (bitmap.hasRemaining()) {
                    count += Long.bitCount(bitmap.getLong());
                }
            }
        }
        return count;
    }

    private int move(long first, int capacity) throws SQLException {
        long slot = first % capacity;
        return transaction.update(
                SqliteStatement.RECLAIM_MOVE, slot, slot + RingGeometry.BLOCK - 1, RingGeometry.blockOf(first));
    }

    private List<BacklogSummary> summaries(long gate, long newGate) throws SQLException {
        List<BacklogSummary> grown = new ArrayList<>();
        try (ResultSet rows =
                transaction.bind(SqliteStatement.RECLAIM_SUMMARY, gate, newGate).executeQuery()) {
            while (rows.next()) {
                grown.add(Rows.backlogSummary(rows));
            }
        }
        return grown;
    }
}
