package io.ringtable.broker.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.OperationsContract;
import io.ringtable.broker.store.TestDatabase;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The operators' queries on a file that a broker has open, through a connection that cannot write. */
class SqliteOperationsTest extends OperationsContract {
    private SqliteTestDatabase database;

    @Override
    protected TestDatabase database() throws IOException {
        database = new SqliteTestDatabase();
        return database;
    }

    @Override
    protected Connection operator() throws SQLException {
        Connection connection = database.connect();
        execute(connection, "PRAGMA query_only = 1");
        return connection;
    }

    @Test
    void theSlotsOfANewRingLieOnNeighbouringPages() throws Exception {
        assertThat(ask("space_by_table").get(0))
                .containsEntry("slots", String.valueOf(RingGeometry.CAPACITY_STEP))
                .containsEntry("backlog_rows", "4");
        Map<String, String> slot = ask("page_order").stream()
                .filter(row -> row.get("table_or_index").equals("slot"))
                .findFirst()
                .orElseThrow();
        assertThat(number(slot, "pages")).isGreaterThan(RingGeometry.CAPACITY_STEP / 20);
        assertThat(number(slot, "in_order")).isGreaterThan(number(slot, "pages") * 9 / 10);
        assertThat(number(slot, "longest_row")).isBetween(100L, 1000L);
    }
}
