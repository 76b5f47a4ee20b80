package io.ringtable.broker.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.store.StoreFailure.Kind;
import io.ringtable.broker.store.jdbc.RingStores;
import io.ringtable.broker.store.jdbc.StoreSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A database that this broker does not understand is refused, named, and left alone. */
abstract class SchemaContract {

    abstract StoreFixture fixture();

    abstract TestDatabase empty() throws Exception;

    @Test
    void aNewerSchemaIsRefused() throws Exception {
        StoreFixture f = fixture();
        f.publish(f.topic("orders", 1), 3);
        f.store.close();
        execute(
                f.database,
                "INSERT INTO ringtable_schema_history (installed_rank, version, description, type, script, checksum,"
                        + " installed_by, installed_on, execution_time, success)"
                        + " SELECT 9999, '9999', 'from the future', type, 'V9999__from_the_future.sql', checksum,"
                        + " installed_by, installed_on, execution_time, success"
                        + " FROM ringtable_schema_history WHERE installed_rank = 1");
        StoreFailure failure = StoreFixture.fails(Kind.UNSUPPORTED, f.database::open);
        assertThat(failure)
                .hasMessageContaining("9999")
                .hasMessageContaining("supports schema versions 001 to ")
                .hasMessageContaining("nothing was touched");
        execute(f.database, "DELETE FROM ringtable_schema_history WHERE installed_rank = 9999");
        f.reopen();
        f.agrees();
    }

    @Test
    void anAlteredSchemaIsRefused() throws Exception {
        StoreFixture f = fixture();
        f.store.close();
        execute(f.database, "UPDATE ringtable_schema_history SET checksum = checksum + 1 WHERE version = '001'");
        assertThat(StoreFixture.fails(Kind.UNSUPPORTED, f.database::open)).hasMessageContaining("001");
        execute(f.database, "UPDATE ringtable_schema_history SET checksum = checksum - 1 WHERE version = '001'");
        f.reopen();
        f.agrees();
    }

    @Test
    void somebodyElsesDatabaseIsRefusedAndLeftAlone() throws Exception {
        TestDatabase foreign = empty();
        try {
            execute(foreign, "CREATE TABLE customer (id INTEGER PRIMARY KEY)");
            List<String> before = tables(foreign);
            StoreFailure failure = StoreFixture.fails(Kind.UNSUPPORTED, foreign::open);
            assertThat(failure).hasMessageContaining("not Ringtable's").hasMessageContaining("customer");
            assertThat(tables(foreign)).isEqualTo(before);
        } finally {
            foreign.close();
        }
    }

    @Test
    void openingAnEmptyDatabaseLaysNothingUntilTheShardIsAcquired() throws Exception {
        TestDatabase database = empty();
        try {
            database.open().close();
            assertThat(tables(database)).isEmpty();
        } finally {
            database.close();
        }
    }

    @Test
    void anUnknownUrlIsRefusedNamingWhatIsSupported() {
        StoreSettings settings = StoreSettings.of("jdbc:nosuch://user:secret@host/db", null, null, Path.of("unused"));
        assertThat(StoreFixture.fails(Kind.UNSUPPORTED, () -> RingStores.open(settings)))
                .hasMessageContaining("jdbc:nosuch:")
                .hasMessageContaining("jdbc:sqlite:")
                .hasMessageNotContaining("secret");
    }

    @Test
    void everyStatementPreparesOnTheEngine() throws Exception {
        StoreFixture f = fixture();
        Path folder =
                Path.of(System.getProperty("ringtable.root", ".."), "src/main/resources/db", f.engine(), "statements");
        try (Connection connection = f.database.connect();
                Stream<Path> files = Files.list(folder)) {
            for (Path file : files.sorted().toList()) {
                try (PreparedStatement statement = connection.prepareStatement(Files.readString(file))) {
                    statement.getParameterMetaData(); // a driver that prepares late asks the server now
                } catch (SQLException e) {
                    throw new AssertionError(file.getFileName() + " does not prepare", e);
                }
            }
        }
    }

    private static void execute(TestDatabase database, String sql) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }

    private static List<String> tables(TestDatabase database) throws SQLException {
        List<String> names = new ArrayList<>();
        try (Connection connection = database.connect();
                ResultSet tables = connection
                        .getMetaData()
                        .getTables(connection.getCatalog(), connection.getSchema(), "%", new String[] {"TABLE"})) {
            while (tables.next()) {
                names.add(tables.getString("TABLE_NAME"));
            }
        }
        return names;
    }
}
