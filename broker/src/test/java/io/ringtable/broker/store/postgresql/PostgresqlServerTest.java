package io.ringtable.broker.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.OneTopic;
import io.ringtable.broker.store.Ownership;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.StoreFailure.Kind;
import io.ringtable.broker.store.jdbc.RingStores;
import io.ringtable.broker.store.jdbc.StoreSettings;
import java.io.IOException;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Servers that are stopped, that crash, that are set up badly, and that other people use as well. */
class PostgresqlServerTest {
    private PostgresqlTestDatabase database;

    @BeforeEach
    void begin() throws SQLException {
        try {
            database = new PostgresqlTestDatabase();
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

    @Test
    void aStoreComesBackWithItsServer() throws Exception {
        EmbeddedPostgresql own;
        try {
            own = EmbeddedPostgresql.start();
        } catch (IOException e) {
            new EngineAbsent("postgresql", e.getMessage(), e).failOrSkip();
            return;
        }
        PostgresqlTestDatabase there = new PostgresqlTestDatabase(PostgresqlServer.of(own));
        try (OneTopic ring = OneTopic.laid(there.open())) {
            ring.publish(10);
            own.stop();
            assertThat(kindOf(() -> ring.publish(1))).isIn(Kind.OUTCOME_UNKNOWN, Kind.UNAVAILABLE);
            assertThat(kindOf(() -> ring.publish(1))).isEqualTo(Kind.UNAVAILABLE);
            own.begin();
            ring.own();
            assertThat(ring.recover().next()).isEqualTo(10);
            ring.publish(5);
            own.crash();
            assertThat(kindOf(() -> ring.store.renew(ring.epoch))).isIn(Kind.OUTCOME_UNKNOWN, Kind.UNAVAILABLE);
            own.begin();
            org.awaitility.Awaitility.await()
                    .ignoreException(StoreFailure.class) // the first call finds out that its connection has gone
                    .untilAsserted(ring::own);
            assertThat(ring.recover().next())
                    .as("what was flushed survives a crash")
                    .isEqualTo(15);
        } finally {
            own.stop();
        }
    }

    @Test
    void aServerThatForgetsItsCommitsIsRefusedUnlessThatIsWanted() throws Exception {
        database.execute(
                "ALTER DATABASE " + database.ask("SELECT current_database()") + " SET synchronous_commit = off");
        StoreFailure failure = failureOf(database::open);
        assertThat(failure.kind()).isEqualTo(Kind.UNSUPPORTED);
        assertThat(failure).hasMessageContaining("synchronous_commit=off").hasMessageContaining("RT-3007");
        StoreSettings strict = database.settings();
        StoreSettings allowing = TestSettings.of(
                        "ringtable.store.url", strict.properties().url(),
                        "ringtable.store.username", strict.properties().username(),
                        "ringtable.store.password", strict.properties().password(),
                        "ringtable.store.delayed-durability", true)
                .store(strict.dataDir());
        try (RingStore store = RingStores.open(allowing)) {
            assertThat(store.limits().delayed()).isEqualTo("synchronous_commit=off");
            assertThat(store.limits().durability()).contains("DELAYED", "synchronous_commit=off");
        }
    }

    @Test
    void aWrongPasswordAndAnUnknownDatabaseAreRefused() {
        StoreSettings right = database.settings();
        StoreSettings wrong =
                StoreSettings.of(right.properties().url(), right.properties().username(), "no", right.dataDir());
        StoreFailure password = failureOf(() -> RingStores.open(wrong));
        assertThat(password.kind()).isEqualTo(Kind.UNSUPPORTED);
        assertThat(password).hasMessageContaining("authentication failed");
        StoreFailure unknown = failureOf(
                () -> RingStores.open(database.settings(right.properties().url() + "_there_is_none")));
        assertThat(unknown.kind()).isEqualTo(Kind.UNSUPPORTED);
        assertThat(unknown).hasMessageContaining("does not exist");
    }

    @Test
    void tablesOfOthersMayStandBesideOurs() throws Exception {
        database.execute("CREATE TABLE public.customer (id integer)");
        database.execute("DROP SCHEMA ringtable");
        try (OneTopic ring = OneTopic.laid(database.open())) {
            ring.publish(3);
            assertThat(database.ask("SELECT count(*) FROM ringtable.slot")).isEqualTo("3");
            assertThat(database.ask("SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"))
                    .isEqualTo("1");
        }
    }

    @Test
    void aStandByAsksWithoutWaitingForAFlush() throws Exception {
        try (OneTopic ring = OneTopic.laid(database.open());
                RingStore standBy = database.open();
                java.sql.Connection flushing = database.connect()) {
            flushing.setAutoCommit(false);
            PostgresqlServer.ask(flushing, "SELECT epoch FROM shard FOR NO KEY UPDATE"); // as a flush under way does
            Ownership answer = standBy.acquire("node-b", "another", OneTopic.LEASE, OneTopic.GEOMETRY);
            assertThat(answer).isInstanceOf(Ownership.HeldBy.class);
            ring.store.renew(ring.epoch);
            flushing.rollback();
        }
    }

    @Test
    void anotherServerIsRefusedNamingThoseThatAreSupported() {
        StoreFailure failure = failureOf(() -> RingStores.open(StoreSettings.of(
                "jdbc:db2://localhost;password=secret",
                null,
                null,
                database.settings().dataDir())));
        assertThat(failure.kind()).isEqualTo(Kind.UNSUPPORTED);
        assertThat(failure)
                .hasMessageContaining("PostgreSQL 15 to 18")
                .hasMessageContaining("SQL Server 2019 to 2025")
                .hasMessageNotContaining("secret");
    }

    private static StoreFailure failureOf(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        StoreFailure failure = catchThrowableOfType(StoreFailure.class, call);
        assertThat(failure).isNotNull();
        return failure;
    }

    private static Kind kindOf(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        return failureOf(call).kind();
    }
}
