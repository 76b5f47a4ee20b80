package io.ringtable.benchmarks.flush;

import io.ringtable.benchmarks.engine.BenchmarkDatabase;
import io.ringtable.benchmarks.engine.Databases;
import io.ringtable.broker.ring.Ledger;
import io.ringtable.broker.store.jdbc.StatementFiles;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Flushes in PostgreSQL with one statement for all messages, and one for all settlements. Thread: one at a time. */
final class PostgresModel extends Model {
    private final PreparedStatement claim;
    private final PreparedStatement settle;

    PostgresModel(BenchmarkDatabase database, Idea idea, int subscribers) throws SQLException {
        super(database, idea, subscribers);
        StatementFiles<ModelStatement> files = new StatementFiles<>(Databases.POSTGRESQL, ModelStatement.class);
        StatementFiles<PostgresModelStatement> own =
                new StatementFiles<>(Databases.POSTGRESQL, PostgresModelStatement.class);
        Connection connection = connection();
        try (Statement create = connection.createStatement()) {
            create.execute(files.sql(ModelStatement.MODEL_CREATE));
            switch (idea) {
                case FLUSH_SETTLE_ROWS -> create.execute(files.sql(ModelStatement.MODEL_ROWS_CREATE));
                case FLUSH_COUNT_IN_ROW -> create.execute(own.sql(PostgresModelStatement.MODEL_COUNT_CREATE));
                case FLUSH_SCATTERED -> create.execute(own.sql(PostgresModelStatement.MODEL_SCATTERED_CREATE));
                default -> {}
            }
        }
        connection.commit();
        claim = connection.prepareStatement(
                idea == Idea.FLUSH_SCATTERED
                        ? own.sql(PostgresModelStatement.MODEL_SCATTERED_CLAIM)
                        : files.sql(ModelStatement.MODEL_CLAIM));
        settle = connection.prepareStatement(files.sql(
                switch (idea) {
                    case FLUSH_SETTLE_ROWS -> ModelStatement.MODEL_ROWS_SETTLE;
                    case FLUSH_COUNT_IN_ROW -> ModelStatement.MODEL_COUNT_SETTLE;
                    default -> ModelStatement.MODEL_SETTLE;
                }));
    }

    @Override
    void claim(long first, int messages) throws SQLException {
        byte[][] bodies = new byte[messages][];
        for (int i = 0; i < messages; i++) {
            bodies[i] = body(first + i);
        }
        claim.setLong(1, first);
        claim.setLong(2, pending());
        claim.setInt(3, subscribers());
        claim.setArray(4, connection().createArrayOf("bytea", bodies));
        expect(claim.executeUpdate(), messages);
    }

    @Override
    void settleByBitmaps(Ledger staged) throws SQLException {
        List<Long> blocks = new ArrayList<>();
        List<Integer> bits = new ArrayList<>();
        List<byte[]> bitmaps = new ArrayList<>();
        staged.forEachStaged((block, bit, settled) -> {
            blocks.add(block);
            bits.add(bit);
            bitmaps.add(settled);
        });
        settle.setArray(1, connection().createArrayOf("bigint", blocks.toArray()));
        settle.setArray(2, connection().createArrayOf("smallint", bits.toArray()));
        settle.setArray(3, connection().createArrayOf("bytea", bitmaps.toArray(byte[][]::new)));
        expect(settle.executeUpdate(), blocks.size());
    }

    @Override
    void settleOneByOne(long from, long to) throws SQLException {
        settle.setLong(1, from);
        settle.setLong(2, to);
        if (idea() == Idea.FLUSH_SETTLE_ROWS) {
            settle.setInt(3, subscribers());
            expect(settle.executeUpdate(), (to - from) * subscribers());
        } else {
            for (int bit = 0; bit < subscribers(); bit++) { // subscribers settle each for itself
                expect(settle.executeUpdate(), to - from);
            }
        }
    }
}
