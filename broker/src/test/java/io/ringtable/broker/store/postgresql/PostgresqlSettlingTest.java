package io.ringtable.broker.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.message.InboxSettlement.Place;
import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.OneTopic;
import io.ringtable.broker.store.SettlingContract;
import io.ringtable.broker.store.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Settling on PostgreSQL, with what is the engine's own. */
class PostgresqlSettlingTest extends SettlingContract {
    private PostgresqlTestDatabase database;

    @Override
    protected TestDatabase database() throws EngineAbsent, SQLException {
        database = PostgresqlTestDatabase.migrated();
        return database;
    }

    @Override
    protected List<Integer> refusedIsolations() {
        return List.of(Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE);
    }

    @Override
    protected void takeOverUncommitted(Connection flush, int sequence) throws SQLException {
        try (Statement statement = flush.createStatement()) {
            statement.execute("INSERT INTO ringtable.settlement (segment, bit, block, settled)"
                    + " SELECT segment, 0, 0, set_bit(decode(repeat('00', 128), 'hex'), " + sequence + ", 1)"
                    + " FROM ringtable.segment WHERE ordinal = 0");
            statement.execute("DELETE FROM ringtable.inbox");
        }
    }

    @Override
    protected void awaitLockWait(TestDatabase at) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .until(() -> database.ask("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                                + " AND datname = current_database() AND query LIKE '%settle%'")
                        .equals("1"));
    }

    @Override
    protected boolean isSettledAlready(SQLException failure) {
        return "RT060".equals(failure.getSQLState());
    }

    @Override
    protected boolean isRefusal(SQLException failure) {
        return "22023".equals(failure.getSQLState());
    }

    @Test
    void theSegmentsOfMessagesThatHaveMovedAreEmptiedWhileTheTransactionIsOpen() throws SQLException {
        settle(caller(), 7); // holds the first segment until it ends
        for (int i = 0; i < 8; i++) {
            ring().publish(OneTopic.SEGMENT);
            ring().store.reclaim(ring().epoch, ring().gate, ring().gate + OneTopic.SEGMENT, OneTopic.SEGMENT);
            ring().gate += OneTopic.SEGMENT;
        }
        ring().publish(OneTopic.SEGMENT);
        assertThat(Integer.parseInt(database.ask("SELECT count(*) FROM ringtable.segment")))
                .isLessThanOrEqualTo(10); // eight, one in reserve, one for the one that is held
        caller().commit();
        assertThat(read().get(0).place()).isEqualTo(Place.BACKLOG);
    }

    @Test
    void anApplicationNeedsExecuteOnTheFunctionAndNoMore() throws SQLException {
        String role = "app_" + ProcessHandle.current().pid() + "_" + System.nanoTime();
        try (Statement statement = caller().createStatement()) {
            statement.execute("CREATE ROLE " + role);
            statement.execute("GRANT USAGE ON SCHEMA ringtable TO " + role);
            statement.execute("SAVEPOINT ungranted");
            statement.execute("SET LOCAL ROLE " + role);
            assertThatThrownBy(() -> settle(caller(), 7)).hasMessageContaining("permission denied for function settle");
            statement.execute("ROLLBACK TO SAVEPOINT ungranted");
            statement.execute("GRANT EXECUTE ON FUNCTION ringtable.settle(text) TO " + role);
            statement.execute("SET LOCAL ROLE " + role);
            settle(caller(), 7);
        }
        caller().rollback();
    }
}
