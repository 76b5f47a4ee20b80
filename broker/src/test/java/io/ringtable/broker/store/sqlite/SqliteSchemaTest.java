package io.ringtable.broker.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.jdbc.SchemaMigrations;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;

/** The schema that people read is the schema that migrations make. */
class SqliteSchemaTest {
    private static final Path SQL = Path.of(System.getProperty("ringtable.root", ".."), "src/main/resources/db/sqlite");

    private SqliteTestDatabase database;

    @BeforeEach
    void migrate() throws Exception {
        database = new SqliteTestDatabase();
        try (RingStore store = database.open()) {
            store.acquire("node", "test", Duration.ofSeconds(30), new RingGeometry(RingGeometry.CAPACITY_STEP));
        }
    }

    @AfterEach
    void remove() throws Exception {
        database.close();
    }

    @Test
    void emptyPlusMigrationsIsSchemaSql(@TempDir(factory = TempDirFactory.Standard.class) Path directory)
            throws Exception {
        try (Connection migrated = database.connect();
                Connection written = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("written.db"))) {
            SqliteTestDatabase.execute(written, Files.readString(SQL.resolve("schema.sql")));
            assertThat(objects(written)).isEqualTo(objects(migrated)).hasSizeGreaterThan(15);
            assertThat(applicationId(written))
                    .isEqualTo(applicationId(migrated))
                    .isEqualTo(0x52695462);
        }
    }

    @Test
    void everyColumnOfTheSchemaIsExplainedWhereItFirstStands() throws Exception {
        for (String table : Files.readString(SQL.resolve("schema.sql")).split("CREATE TABLE ")) {
            if (table.startsWith("--") || table.startsWith("backlog (")) {
                continue; // the head of the file; a backlog row is a slot's, with two differences that are explained
            }
            table.substring(0, table.indexOf(") STRICT")).lines().skip(1).forEach(line -> {
                if (line.matches(" {4}[a-z_]+ +(INTEGER|TEXT|BLOB).*") && !line.matches(" {4}bit .*")) {
                    assertThat(line.contains("--")
                                    || line.matches(".*(address_id|sequence|subscription_id|_sequence) .*"))
                            .as(line)
                            .isTrue();
                }
            });
        }
    }

    private static Map<String, String> objects(Connection connection) throws SQLException {
        Map<String, String> objects = new TreeMap<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT type, name, tbl_name, sql FROM sqlite_master")) {
            while (rows.next()) {
                if (!rows.getString("tbl_name").equals(SchemaMigrations.HISTORY)) {
                    objects.put(rows.getString("type") + " " + rows.getString("name"), text(rows.getString("sql")));
                }
            }
        }
        return objects;
    }

    /** An added column stands where SQLite puts it: before the comment of the last one. */
    private static String text(String sql) {
        return sql == null
                ? "(made by the engine)"
                : sql.replaceAll("--[^\n]*", "").replaceAll("\\s+", " ").replace(" ,", ",");
    }

    private static int applicationId(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("PRAGMA application_id")) {
            row.next();
            return row.getInt(1);
        }
    }
}
