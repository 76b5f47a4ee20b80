package io.ringtable.broker.amqp;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.store.postgresql.PostgresqlTestDatabase;
import java.nio.file.Path;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Is what tests with several nodes on one database share; each test has a database of its own. */
abstract class StandbyScenario {
    @TempDir
    private Path directory;

    private PostgresqlTestDatabase database;

    @BeforeEach
    void open() throws SQLException {
        try {
            database = PostgresqlTestDatabase.migrated();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
    }

    @AfterEach
    void remove() throws SQLException {
        if (database != null) {
            database.close();
        }
    }

    /** Starts a node: the first one takes the shards, the next ones stand by. */
    final TestBroker node(String name, TestSettings settings) {
        StoreSettings store = new StoreSettings(database.settings().properties(), directory.resolve(name));
        return TestBroker.start(store, settings);
    }
}
