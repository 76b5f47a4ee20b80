package io.ringtable.broker.store.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ringtable.broker.message.InboxRow;
import io.ringtable.broker.message.InboxSettlement;
import io.ringtable.broker.message.InboxSettlement.Place;
import io.ringtable.broker.ring.Bitmap;
import io.ringtable.broker.store.CatalogChange;
import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.OneTopic;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Settling in the caller's own transaction: a message is settled by one transaction, whoever else tries when. */
class PostgresqlSettlingTest {
    private static final long SUBSCRIPTION = 1;
    private static final String ALREADY = "RT060";

    private PostgresqlTestDatabase database;
    private OneTopic ring;
    private Connection caller;
    private Connection other;

    @BeforeEach
    void lay() throws SQLException {
        try {
            database = new PostgresqlTestDatabase();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
        ring = OneTopic.laid(database.open());
        caller = transaction();
        other = transaction();
        ring.publish(100);
    }

    private Connection transaction() throws SQLException {
        Connection connection = database.connect();
        connection.setAutoCommit(false);
        return connection;
    }

    @AfterEach
    void remove() throws SQLException {
        if (database != null) {
            caller.close();
            other.close();
            ring.close();
            database.close();
        }
    }

    @Test
    void isThereOnceItsTransactionHasCommitted() throws SQLException {
        settle(caller, 7);
        assertThat(read()).isEmpty();
        caller.commit();
        InboxSettlement row = read().get(0);
        assertThat(row.subscriptionId()).isEqualTo(SUBSCRIPTION);
        assertThat(row.sequence()).isEqualTo(7);
        assertThat(row.place()).isEqualTo(Place.RING);
        assertThat(row.addressId()).isZero();
        assertThat(row.ageMs()).isBetween(0L, 60_000L);
    }

    @Test
    void aRollBackLeavesItToTheNext() throws SQLException {
        settle(caller, 7);
        caller.rollback();
        settle(other, 7);
        other.commit();
        assertThat(read()).hasSize(1);
    }

    @Test
    void theSecondIsRefusedBeforeItsRowIsTakenOverAndAfter() throws SQLException {
        settle(caller, 7);
        caller.commit();
        assertRefused(() -> settle(other, 7));
        other.rollback();
        takeOver(7);
        assertThat(read()).isEmpty();
        assertRefused(() -> settle(other, 7));
        other.rollback();
        settle(other, 8);
        other.commit();
    }

    @Test
    void whatItsConsumerAcceptedFromTheBrokerIsSettled() throws SQLException {
        ring.settle(0);
        assertRefused(() -> settle(caller, 7));
    }

    @Test
    void theSecondWaitsForTheFirstAndIsRefusedIfThatCommits() throws Exception {
        settle(caller, 7);
        CompletableFuture<Void> second = settleElsewhere(7);
        assertWaits(second);
        caller.commit();
        assertThatThrownBy(() -> second.get(20, TimeUnit.SECONDS)).hasMessageContaining("RT-3060");
    }

    @Test
    void theSecondGoesOnIfTheFirstRollsBack() throws Exception {
        settle(caller, 7);
        CompletableFuture<Void> second = settleElsewhere(7);
        assertWaits(second);
        caller.rollback();
        second.get(20, TimeUnit.SECONDS);
        other.commit();
        assertThat(read()).hasSize(1);
    }

    @Test
    void whoComesWhileTheRowIsTakenOverWaitsForTheFlushAndSeesItsLedger() throws Exception {
        settle(caller, 7);
        caller.commit();
        // What a flush does, with its commit held back.
        try (Connection flush = transaction();
                Statement statement = flush.createStatement()) {
            statement.execute("INSERT INTO ringtable.settlement (segment, bit, block, settled)"
                    + " SELECT segment, 0, 0, set_bit(decode(repeat('00', 128), 'hex'), 7, 1)"
                    + " FROM ringtable.segment WHERE ordinal = 0");
            statement.execute("DELETE FROM ringtable.inbox");
            CompletableFuture<Void> second = settleElsewhere(7);
            assertWaits(second);
            flush.commit();
            assertThatThrownBy(() -> second.get(20, TimeUnit.SECONDS)).hasMessageContaining("RT-3060");
        }
    }

    @Test
    void aMessageInTheBacklogIsFoundThereWithWhatItsSettlementNeeds() throws SQLException {
        settle(caller, 6);
        caller.commit();
        ring.publish(OneTopic.SEGMENT);
        takeOver(6);
        ring.store.reclaim(ring.epoch, 0, OneTopic.SEGMENT, OneTopic.SEGMENT - 1);
        ring.gate = OneTopic.SEGMENT;
        settle(caller, 7);
        caller.commit();
        InboxSettlement row = read().get(0);
        assertThat(row.place()).isEqualTo(Place.BACKLOG);
        assertThat(row.pending()).isEqualTo(1);
        assertThat(row.bytes()).isEqualTo(300);
        assertRefused(() -> settle(other, 6)); // was not moved: settled before
        other.rollback();
        byte[] settled = Bitmap.empty();
        Bitmap.set(settled, 7);
        ring.store.flush(new Flush(
                ring.epoch,
                ring.gate,
                List.of(),
                List.of(),
                List.of(new Flush.BacklogSettlement(0, 0, 0, settled)),
                List.of(),
                List.of(),
                Flush.UNCHANGED,
                List.of(row.id())));
        assertRefused(() -> settle(other, 7));
        other.rollback();
        ring.store.discard(ring.epoch, 0, 0, OneTopic.SEGMENT);
        assertRefused(() -> settle(other, 7)); // the row is gone, and so will be its ledger
    }

    @Test
    void theSegmentsOfMessagesThatHaveMovedAreEmptiedWhileTheTransactionIsOpen() throws SQLException {
        settle(caller, 7); // holds the first segment until it ends
        for (int i = 0; i < 8; i++) {
            ring.publish(OneTopic.SEGMENT);
            ring.store.reclaim(ring.epoch, ring.gate, ring.gate + OneTopic.SEGMENT, OneTopic.SEGMENT);
            ring.gate += OneTopic.SEGMENT;
        }
        ring.publish(OneTopic.SEGMENT);
        assertThat(Integer.parseInt(database.ask("SELECT count(*) FROM ringtable.segment")))
                .isLessThanOrEqualTo(10); // eight, one in reserve, one for the one that is held
        caller.commit();
        assertThat(read().get(0).place()).isEqualTo(Place.BACKLOG);
    }

    @ParameterizedTest
    @ValueSource(ints = {Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE})
    void aTransactionWithOneSnapshotIsRefused(int isolation) throws SQLException {
        caller.setTransactionIsolation(isolation);
        assertThatThrownBy(() -> settle(caller, 7)).hasMessageContaining("RT-3062 settling needs READ COMMITTED");
    }

    @Test
    void aDeliveryOfAnEarlierOwnerIsRefused() throws SQLException {
        long before = ring.epoch;
        ring.own();
        assertThatThrownBy(() -> settle(caller, before + "." + SUBSCRIPTION + ".7"))
                .hasMessageContaining("RT-3063")
                .hasMessageContaining("epoch " + before)
                .hasMessageContaining("at " + ring.epoch);
    }

    @Test
    void aSubscriptionThatWasDeletedOwesNothing() throws SQLException {
        settle(caller, 7);
        ring.store.alter(ring.epoch, List.of(new CatalogChange.Unsubscribe(SUBSCRIPTION)));
        assertThatThrownBy(() -> settle(other, 8)).hasMessageContaining("RT-3064");
        caller.commit();
        InboxSettlement row = read().get(0);
        assertThat(row.place()).isEqualTo(Place.NOWHERE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "17", "1.2", "1.2.x", "1.2.3.4", "-1.2.3", "1.2.1234567890123456789"})
    void whatIsNoDeliveryIsRefused(String tag) {
        assertThatThrownBy(() -> settle(caller, tag))
                .isInstanceOfSatisfying(
                        SQLException.class,
                        refused -> assertThat(refused.getSQLState()).isEqualTo("22023"))
                .hasMessageContaining("RT-3061");
    }

    @Test
    void anApplicationNeedsExecuteOnTheFunctionAndNoMore() throws SQLException {
        String role = "app_" + ProcessHandle.current().pid() + "_" + System.nanoTime();
        try (Statement statement = caller.createStatement()) {
            statement.execute("CREATE ROLE " + role);
            statement.execute("GRANT USAGE ON SCHEMA ringtable TO " + role);
            statement.execute("SAVEPOINT ungranted");
            statement.execute("SET LOCAL ROLE " + role);
            assertThatThrownBy(() -> settle(caller, 7)).hasMessageContaining("permission denied for function settle");
            statement.execute("ROLLBACK TO SAVEPOINT ungranted");
            statement.execute("GRANT EXECUTE ON FUNCTION ringtable.settle(text) TO " + role);
            statement.execute("SET LOCAL ROLE " + role);
            settle(caller, 7);
        }
        caller.rollback();
    }

    private void settle(Connection connection, long sequence) throws SQLException {
        settle(connection, ring.epoch + "." + SUBSCRIPTION + "." + sequence);
    }

    private static void settle(Connection connection, String tag) throws SQLException {
        try (PreparedStatement call = connection.prepareStatement("SELECT ringtable.settle(?)")) {
            call.setString(1, tag);
            call.execute();
        }
    }

    private CompletableFuture<Void> settleElsewhere(long sequence) {
        return CompletableFuture.runAsync(() -> {
            try {
                settle(other, sequence);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    /** Until the server says that it waits for a lock. */
    private void assertWaits(CompletableFuture<Void> call) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .until(() -> database.ask("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                                + " AND datname = current_database() AND query LIKE '%settle%'")
                        .equals("1"));
        assertThatThrownBy(() -> call.get(1, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
    }

    private static void assertRefused(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        SQLException refused = catchThrowableOfType(SQLException.class, call);
        assertThat(refused.getSQLState()).isEqualTo(ALREADY);
        assertThat(refused.getMessage()).contains("RT-3060");
    }

    private List<InboxSettlement> read() {
        List<InboxRow> rows = ring.store.readInbox(List.of(), 100, 1 << 20);
        return rows.stream().map(InboxSettlement.class::cast).toList();
    }

    /** The flush of the row that settles it. */
    private void takeOver(int sequence) {
        byte[] settled = Bitmap.empty();
        Bitmap.set(settled, sequence);
        Flush batch = ring.batch(0, new Flush.Settlement(0, 0, settled));
        ring.store.flush(new Flush(
                batch.epoch(),
                batch.gate(),
                List.of(),
                batch.settlements(),
                List.of(),
                List.of(),
                List.of(),
                Flush.UNCHANGED,
                read().stream().map(InboxSettlement::id).toList()));
    }
}
