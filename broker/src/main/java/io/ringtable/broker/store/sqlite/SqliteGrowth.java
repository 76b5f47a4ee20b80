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
 * Keeps the rows of the ring close together. A row that grows splits its page, and SQLite merges pages only where rows
 * are deleted. After a lap of 10 KB bodies each page holds two rows. From then on a flush of small messages writes five
 * times the pages. So this class counts large bodies by block of slots. This class lays a grown block anew during its
 * clearing, once small messages come again. While large messages come, that would be for nothing.
 * <p>
 * Laying a block anew writes about 370 bytes a slot to the log, once, and takes about 6 ms.
 * <p>
 * Thread: the holder of the store's write lock.
 */
final class SqliteGrowth {
    /**
     * Lays a slot with a body of this many bytes. A first lap of larger messages splits pages, one of smaller messages
     * leaves them half-full; later laps find the room that the first one made.
     */
    static final int LAID_BODY_BYTES = 256;

    /** Separates small from large: a body of more bytes is large. */
    static final int LARGE_BODY_BYTES = 512;

    /** Limits the large bodies of a block: from this many of 1,024 on, the block has grown too far. */
    private static final int GROWN_MAX = RingGeometry.BLOCK / 8;

    private final SqliteTransaction transaction;
    /** Counts large bodies by block of sequences; blocks that began before this process are missing. */
    private final Map<Long, Integer> largeBodies = new HashMap<>();

    private int claimed; // messages claimed lately
    private int large; // large ones of these
    private boolean laid; // whether this transaction has laid a block

    SqliteGrowth(SqliteTransaction transaction) {
        this.transaction = transaction;
    }

    /**
     * Counts what is coming, whether or not its flush commits: a failed flush is counted too often, which costs little.
     */
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
        while (claimed > RingGeometry.BLOCK) { // the latest messages count most
            claimed /= 2;
            large /= 2;
        }
    }

    /**
     * Begins the clearing of a portion of the ring. At most one of its blocks is laid anew, so that flushes wait for
     * one alone.
     */
    void clearing() {
        laid = false;
    }

    private boolean areLargeOnesComing() {
        return large > claimed / 4;
    }

    /**
     * Hears that a block is cleared: what it still owed has been moved.
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
