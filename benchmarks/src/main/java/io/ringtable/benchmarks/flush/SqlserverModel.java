package io.ringtable.benchmarks.flush;

import com.microsoft.sqlserver.jdbc.SQLServerDataTable;
import com.microsoft.sqlserver.jdbc.SQLServerPreparedStatement;
import io.ringtable.benchmarks.design.SlotKey;
import io.ringtable.benchmarks.engine.BenchmarkDatabase;
import io.ringtable.benchmarks.engine.Databases;
import io.ringtable.broker.ring.Ledger;
import io.ringtable.broker.store.jdbc.StatementFiles;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.Comparator;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Flushes in SQL Server as its store does: lists of messages and of settlements go to the server as tables. Thread: one
 * at a time.
 */
final class SqlserverModel extends Model {
    private static final int FILLED_AT_ONCE = 8_192; // slots of one call

    private final SlotKey places;
    private final PreparedStatement claim;
    private final PreparedStatement settle;
    private final PreparedStatement settleNew;

    SqlserverModel(BenchmarkDatabase database, Idea idea, int subscribers) throws SQLException {
        super(database, idea, subscribers);
        places = idea == Idea.FLUSH_SCATTERED ? SlotKey.SLOTS_REVERSED : SlotKey.SLOTS_IN_ORDER;
        StatementFiles<ModelStatement> files = new StatementFiles<>(Databases.SQLSERVER, ModelStatement.class);
        StatementFiles<SqlserverModelStatement> own =
                new StatementFiles<>(Databases.SQLSERVER, SqlserverModelStatement.class);
        Connection connection = connection();
        try (Statement create = connection.createStatement()) {
            create.execute(files.sql(ModelStatement.MODEL_CREATE));
            if (idea == Idea.FLUSH_SETTLE_ROWS) {
                create.execute(files.sql(ModelStatement.MODEL_ROWS_CREATE));
            }
        }
        fill(own.sql(SqlserverModelStatement.MODEL_FILL));
        connection.commit();
        claim = connection.prepareStatement(files.sql(ModelStatement.MODEL_CLAIM));
        settle = connection.prepareStatement(files.sql(
                switch (idea) {
                    case FLUSH_SETTLE_ROWS -> ModelStatement.MODEL_ROWS_SETTLE;
                    case FLUSH_COUNT_IN_ROW -> ModelStatement.MODEL_COUNT_SETTLE;
                    default -> ModelStatement.MODEL_SETTLE;
                }));
        settleNew = connection.prepareStatement(own.sql(SqlserverModelStatement.MODEL_SETTLE_NEW));
    }

    /** Lays the slots in the order of their places, so that no page is split. */
    private void fill(String sql) throws SQLException {
        List<Long> slots = LongStream.range(0, SLOTS)
                .boxed()
                .sorted(Comparator.comparing(places::of))
                .toList();
        try (PreparedStatement fill = connection().prepareStatement(sql)) {
            for (int from = 0; from < SLOTS; from += FILLED_AT_ONCE) {
                SQLServerDataTable messages = messageList();
                for (long slot : slots.subList(from, from + FILLED_AT_ONCE)) {
                    messages.addRow(slot - SLOTS, places.of(slot), body(slot));
                }
                bind(fill, 1, "dbo.model_message_list", messages);
                expect(fill.executeUpdate(), FILLED_AT_ONCE);
            }
        }
    }

    @Override
    void claim(long first, int messages) throws SQLException {
        SQLServerDataTable list = messageList();
        for (long sequence = first; sequence < first + messages; sequence++) {
            list.addRow(sequence, places.of(sequence % SLOTS), body(sequence));
        }
        claim.setLong(1, pending());
        claim.setInt(2, subscribers());
        bind(claim, 3, "dbo.model_message_list", list);
        expect(claim.executeUpdate(), messages);
    }

    @Override
    void settleByBitmaps(Ledger staged) throws SQLException {
        SQLServerDataTable list = new SQLServerDataTable();
        list.addColumnMetadata("block", Types.BIGINT);
        list.addColumnMetadata("bit", Types.SMALLINT);
        list.addColumnMetadata("settled", Types.BINARY);
        int[] bitmaps = {0};
        staged.forEachStaged((block, bit, settled) -> {
            try {
                list.addRow(block, bit, settled);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
            bitmaps[0]++;
        });
        bind(settle, 1, "dbo.model_settlement_list", list);
        bind(settleNew, 1, "dbo.model_settlement_list", list);
        expect(settle.executeUpdate() + settleNew.executeUpdate(), bitmaps[0]);
    }

    @Override
    void settleOneByOne(long from, long to) throws SQLException {
        SQLServerDataTable list = new SQLServerDataTable();
        list.addColumnMetadata("sequence", Types.BIGINT);
        list.addColumnMetadata("slot", Types.BIGINT);
        for (long sequence = from; sequence < to; sequence++) {
            list.addRow(sequence, places.of(sequence % SLOTS));
        }
        for (int bit = 0; bit < subscribers(); bit++) { // subscribers settle each for itself
            if (idea() == Idea.FLUSH_SETTLE_ROWS) {
                settle.setInt(1, bit);
                bind(settle, 2, "dbo.model_place_list", list);
            } else {
                bind(settle, 1, "dbo.model_place_list", list);
            }
            expect(settle.executeUpdate(), to - from);
        }
    }

    private static SQLServerDataTable messageList() throws SQLException {
        SQLServerDataTable list = new SQLServerDataTable();
        list.addColumnMetadata("sequence", Types.BIGINT);
        list.addColumnMetadata("slot", Types.BIGINT);
        list.addColumnMetadata("body", Types.VARBINARY);
        return list;
    }

    private static void bind(PreparedStatement statement, int parameter, String type, SQLServerDataTable list)
            throws SQLException {
        statement.unwrap(SQLServerPreparedStatement.class).setStructured(parameter, type, list);
    }
}
