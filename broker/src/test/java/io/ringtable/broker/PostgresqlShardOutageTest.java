package io.ringtable.broker;

import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.store.postgresql.PostgresqlTestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Three shards of one PostgreSQL database, of which one fails. */
class PostgresqlShardOutageTest extends PartOutageScenario {
    private PostgresqlTestDatabase database;

    @BeforeEach
    void open() throws Exception {
        try {
            database = PostgresqlTestDatabase.migrated();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
    }

    @AfterEach
    void remove() throws Exception {
        if (database != null) {
            if (broker != null) {
                broker.close();
            }
            database.close();
        }
    }

    @Override
    StoreSettings store() {
        return database.settings();
    }
}
