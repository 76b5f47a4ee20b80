package io.ringtable.benchmarks.flush;

import io.ringtable.benchmarks.design.SlotKey;
import io.ringtable.benchmarks.engine.BenchmarkDatabase;
import io.ringtable.benchmarks.engine.Databases;
import io.ringtable.broker.ring.Ledger;
import io.ringtable.broker.store.jdbc.StatementFiles;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;

/** Flushes in SQLite with one call for each message and each settlement. Thread: one at a time. */
final class SqliteModel extends Model {
    private final PreparedStatement claim;
    private final PreparedStatement settle;
    private final SlotKey places;

    SqliteModel(BenchmarkDatabase database, Idea idea, int subscribers) throws SQLException {
        super(database, idea, subscribers);
        places = idea == Idea.FLUSH_SCATTERED ? SlotKey.SLOTS_REVERSED : SlotKey.SLOTS_IN_ORDER;
        Connection connection = connection();
        places.createOn(connection);
        StatementFiles<ModelStatement> files = new StatementFiles<>(Databases.SQLITE, ModelStatement.class);
        try (Statement create = connection.createStatement()) {
            create.executeUpdate(files.sql(ModelStatement.MODEL_CREATE));
            if (idea == Idea.FLUSH_SETTLE_ROWS) {
                create.executeUpdate(files.sql(ModelStatement.MODEL_ROWS_CREATE));
            }
        }
        connection.commit();
        claim = connection.prepareStatement(files.sql(ModelStatement.MODEL_CLAIM));
        settle = connection.prepareStatement(files.sql(
                switch (idea) {
                    case FLUSH_SETTLE_ROWS -> ModelStatement.MODEL_ROWS_SETTLE;
                    case FLUSH_COUNT_IN_ROW -> ModelStatement.MODEL_COUNT_SETTLE;
                    default -> ModelStatement.MODEL_SETTLE;
                }));
    }

    @Override
    void claim(long first, int messages) throws SQLException {
        long now = System.currentTimeMillis();
        for (long sequence = first; sequence < first + messages; sequence++) {
            claim.setLong(1, sequence);
            claim.setLong(2, pending());
            claim.setInt(3, subscribers());
            claim.setLong(4, now);
            claim.setBytes(5, body(sequence));
            claim.setLong(6, places.of(sequence % SLOTS));
            claim.setLong(7, sequence - SLOTS);
            claim.addBatch();
        }
        expectOnes(claim.executeBatch());
    }

    @Override
    void settleByBitmaps(Ledger staged) throws SQLException {
        staged.forEachStaged((block, bit, settled) -> {
            try {
                settle.setLong(1, block);
                settle.setInt(2, bit);
                settle.setBytes(3, settled);
                settle.addBatch();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        expectOnes(settle.executeBatch());
    }

    @Override
    void settleOneByOne(long from, long to) throws SQLException {
        for (int bit = 0; bit < subscribers(); bit++) {
            for (long sequence = from; sequence < to; sequence++) {
                if (idea() == Idea.FLUSH_SETTLE_ROWS) {
                    settle.setLong(1, sequence);
                    settle.setInt(2, bit);
                } else {
                    settle.setLong(1, places.of(sequence % SLOTS));
                }
                settle.addBatch();
            }
        }
        expectOnes(settle.executeBatch());
    }

    private static void expectOnes(int[] changed) {
        if (Arrays.stream(changed).anyMatch(rows -> rows != 1)) {
            throw new IllegalStateException("a statement has changed other than one row");
        }
    }
}
