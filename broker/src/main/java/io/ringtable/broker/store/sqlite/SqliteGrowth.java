package io.ringtable.broker.store.sqlite;

import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.StoredMessage;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Keeps the rows of the ring close together. A row that grows splits its page, and SQLite merges pages only where rows are
 * deleted: after a lap of 10 KB bodies each page holds two rows, and a flush of small messages writes five times the pages for
 * ever after. So what has grown is counted by block of slots, and a block is laid anew while it is cleared, when small
 * messages are coming again. While large ones come it would be for nothing.
 * <p>
 * Laying a block anew writes about 370 bytes a slot to the log, once, and takes about 6 ms.
 * <p>
 * Thread: whoever holds the store's write lock.
 */
final class SqliteGrowth {
    /**
     * Body that a slot is laid with, in bytes. A first lap of larger messages splits pages, one of smaller ones leaves them
     * half-full; later laps find the room that the first one made.
     */
    static final int LAID_BODY_BYTES = 256;

    /** A body of more bytes is large. */
    static final int LARGE_BODY_BYTES = 512;

    /** Large bodies, of 1,024, from which a block has grown too far. */
    private static final int GROWN_MAX = RingGeometry.BLOCK / 8;

    private final SqliteTransaction transaction;
    /** Large bodies by block of sequences; one that was begun before this process is not there. */
    private final Map<Long, Integer> largeBodies = new HashMap<>();

    private int claimed; // lately
    private int large; // of them
    private boolean laid; // a block in this transaction

    SqliteGrowth(SqliteTransaction transaction) {
        this.transaction = transaction;
    }

    /** What is coming, whether or not its flush commits: one that does not is counted too often, which costs little. */
    void coming(List<StoredMessage> claims) {
        for (StoredMessage claim : claims) {
            if (claim.sequence() % RingGeometry.BLOCK == 0) {
                largeBodies.put(RingGeometry.blockOf(claim.sequence()), 0);
            }
            if (claim.bodyId() == 0 && claim.bodyBytes() > LARGE_BODY_BYTES) {
                large++;
                largeBodies.computeIfPresent(RingGeometry.blockOf(claim.sequence()), (key, known) -> known + 1);
            }
        }
        claimed += claims.size();
        while (claimed > RingGeometry.BLOCK) { // the latest count most
            claimed /= 2;
            large /= 2;
        }
    }

    /** A portion of the ring is about to be cleared; one of its blocks may be laid anew, so that flushes wait for that one alone. */
    void clearing() {
        laid = false;
    }

    private boolean areLargeOnesComing() {
        return large > claimed / 4;
    }

    /**
     * A block is cleared: what it still owed has been moved.
     *
     * @param first sequence of the block
     */
    void cleared(long first, int capacity) throws SQLException {
        long slot = first % capacity;
        long block = slot / RingGeometry.BLOCK;
        Integer known = largeBodies.remove(RingGeometry.blockOf(first));
        long more = known != null ? known : largeBodiesIn(slot);
        long grown = more == 0 ? read(block) : add(block, more);
        if (laid || grown < GROWN_MAX || areLargeOnesComing()) {
            return;
        }
        long last = slot + RingGeometry.BLOCK - 1;
        expectBlock(SqliteStatement.RECLAIM_CLEAR, transaction.update(SqliteStatement.RECLAIM_CLEAR, slot, last));
        expectBlock(
                SqliteStatement.RECLAIM_LAY,
                transaction.update(SqliteStatement.RECLAIM_LAY, slot, last, first, LAID_BODY_BYTES));
        transaction.updateOne(SqliteStatement.RECLAIM_LAID, block);
        laid = true;
    }

    private long largeBodiesIn(long slot) throws SQLException {
        return number(
                transaction.bind(SqliteStatement.RECLAIM_LARGE, slot, slot + RingGeometry.BLOCK - 1, LARGE_BODY_BYTES));
    }

    private long read(long block) throws SQLException {
        return number(transaction.bind(SqliteStatement.RECLAIM_GROWN_READ, block));
    }

    private long add(long block, long largeBodies) throws SQLException {
        return number(transaction.bind(SqliteStatement.RECLAIM_GROWN, block, largeBodies));
    }

    private static long number(PreparedStatement bound) throws SQLException {
        try (ResultSet row = bound.executeQuery()) {
            return row.next() ? row.getLong(1) : 0;
        }
    }

    private static void expectBlock(SqliteStatement statement, int changed) {
        SqliteTransaction.expect(statement, RingGeometry.BLOCK, changed);
    }
}
