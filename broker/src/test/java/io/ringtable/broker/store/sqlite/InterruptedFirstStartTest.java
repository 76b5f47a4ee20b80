package io.ringtable.broker.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.Ownership;
import io.ringtable.broker.store.RingStore;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A first start that ended, on a full disk for example, between the history of the schema and the schema. */
class InterruptedFirstStartTest {

    @Test
    void theNextStartMakesTheTablesThatAreMissing() throws Exception {
        SqliteTestDatabase database = new SqliteTestDatabase();
        try {
            acquire(database);
            leaveOnlyTheHistory(database);

            assertThat(acquire(database)).isInstanceOf(Ownership.Owned.class);
        } finally {
            database.close();
        }
    }

    private static Ownership acquire(SqliteTestDatabase database) {
        try (RingStore store = database.open()) {
            return store.acquire("node", "a test", Duration.ofSeconds(10), new RingGeometry(16_384));
        }
    }

    private static void leaveOnlyTheHistory(SqliteTestDatabase database) throws Exception {
        try (Connection connection = database.connect()) {
            List<String> drops = new ArrayList<>();
            try (var rows = connection
                    .createStatement()
                    .executeQuery("SELECT type, name FROM sqlite_schema WHERE type IN ('view', 'table')"
                            + " AND name NOT LIKE 'sqlite%' ORDER BY type DESC")) {
                while (rows.next()) {
                    if (!rows.getString("name").equals("ringtable_schema_history")) {
                        drops.add("DROP " + rows.getString("type") + " " + rows.getString("name"));
                    }
                }
            }
            SqliteTestDatabase.execute(connection, "PRAGMA foreign_keys = OFF");
            for (String drop : drops) {
                SqliteTestDatabase.execute(connection, drop);
            }
            SqliteTestDatabase.execute(connection, "DELETE FROM ringtable_schema_history");
        }
    }
}
