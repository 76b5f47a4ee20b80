package io.ringtable.broker.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.PublisherLogin;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.node.NodeTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Runs each of the queries in {@code operations} beside an open store and holds what they show to what the store has.
 * An engine gives a database, and a connection with an operator's rights; it adds what only its own queries show.
 */
public abstract class OperationsContract {
    private static final Path DB = Path.of(System.getProperty("ringtable.root", ".."), "src/main/resources/db");
    private static final int MESSAGES = RingGeometry.BLOCK + 512;
    private static final int BODY_BYTES = 100; // less than each of the fixture's

    private StoreFixture fixture;
    private AddressRow orders;
    private Connection operator;

    /** Returns a fresh database without rows. */
    protected abstract TestDatabase database() throws Exception;

    /** Connects to the database of {@link #database} with the rights that heads and {@code db/README.md} ask for. */
    protected abstract Connection operator() throws SQLException;

    /** Returns whether this version of the engine has what the query reads; its head says which version has. */
    protected boolean isKnown(String query) {
        return true;
    }

    /** Fills a topic. Of its first 1,024 messages, in the backlog, "slow" owes 4 and "fast" none. */
    @BeforeEach
    void fill() throws Exception {
        try {
            fixture = new StoreFixture(database());
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
        orders = fixture.address("orders", AddressKind.TOPIC);
        SubscriptionRow slow = fixture.subscribe(orders, "slow", 0, 0);
        fixture.subscribe(orders, "fast", 0, 62);
        fixture.publish(orders, MESSAGES);
        TestFlush settlements = fixture.batch().settle(0, RingGeometry.BLOCK, 62);
        settlements.settle(1, 13, 0).settle(14, 500, 0).settle(501, RingGeometry.BLOCK - 1, 0);
        settlements.failed(13, slow.subscriptionId(), 3, 0).flush();
        fixture.reclaim(RingGeometry.BLOCK);
        operator = operator();
    }

    @AfterEach
    void remove() throws Exception {
        if (operator != null) {
            operator.close();
        }
        if (fixture != null) {
            fixture.close();
        }
    }

    @Test
    void everyQueryRunsBesideTheBrokerAndOnlyReads() throws Exception {
        assertThat(queries()).hasSizeGreaterThan(4);
        for (String query : queries()) {
            if (isKnown(query)) {
                assertThat(ask(query)).as(query).isNotNull();
            } else {
                assertThatThrownBy(() -> ask(query)).as(query).isInstanceOf(SQLException.class);
            }
        }
        fixture.agrees();
    }

    @Test
    void theQueriesShowWhatTheStoreHolds() throws Exception {
        int capacity = StoreFixture.GEOMETRY.capacity();
        assertThat(ask("ring_overview"))
                .singleElement()
                .satisfies(ring -> assertThat(ring)
                        .containsEntry("shard_id", "0")
                        .containsEntry("epoch", String.valueOf(fixture.epoch))
                        .containsEntry("capacity", String.valueOf(capacity))
                        .containsEntry("gate", String.valueOf(RingGeometry.BLOCK))
                        .containsEntry("room", String.valueOf(RingGeometry.BLOCK + capacity - MESSAGES)));
        assertThat(ask("backlog_by_address"))
                .singleElement()
                .satisfies(backlog -> assertThat(backlog)
                        .containsEntry("address", "orders")
                        .containsEntry("messages", "4")
                        .containsEntry("last_sequence", String.valueOf(RingGeometry.BLOCK - 1)));
        assertThat(ask("oldest_owed_message").get(0))
                .containsEntry("address", "orders")
                .containsEntry("subscription", "slow");
        assertThat(ask("failed_deliveries"))
                .singleElement()
                .satisfies(failed -> assertThat(failed)
                        .containsEntry("sequence", "13")
                        .containsEntry("subscription", "slow")
                        .containsEntry("failures", "3"));
        fixture.store
                .nodes()
                .beat(new NodeTable.Node(StoreFixture.NODE, "run", "host pid 1", "1.0", "ACTIVE", null, 30_000));
        assertThat(ask("nodes"))
                .singleElement()
                .satisfies(node -> assertThat(node)
                        .containsEntry("node_id", StoreFixture.NODE)
                        .containsEntry("description", "host pid 1")
                        .containsEntry("state", "ACTIVE")
                        .containsEntry("shards", "0"));
        if (isKnown("space_by_table")) {
            assertThat(ask("space_by_table")).isNotEmpty();
        }
    }

    @Test
    void oneMessageIsExplained() throws Exception {
        assertThat(explain(13))
                .singleElement()
                .satisfies(row -> assertThat(row)
                        .containsEntry("place", "backlog")
                        .containsEntry("address", "orders")
                        .containsEntry("subscription", "slow")
                        .containsEntry("state", "owed")
                        .containsEntry("failures", "3"));
        fixture.batch().settle(1100, 62).flush();
        assertThat(explain(1100))
                .extracting(row -> row.get("place") + " " + row.get("subscription") + " " + row.get("state"))
                .containsExactly("ring slow owed", "ring fast settled");
        assertThat(explain(5)).as("over").isEmpty();
    }

    @Test
    void anExplanationSaysWhoPublished() throws Exception {
        fixture.login(1, PublisherLogin.of("alice"));
        fixture.login(2, PublisherLogin.BROKER);
        List<String> published = new ArrayList<>();
        for (long sequence : new long[] {1100, 1101, 1102, 1103, 13}) { // the fixture's logins go round
            published.add(explain(sequence).get(0).get("published_by"));
        }
        assertThat(published)
                .containsExactly("unknown", "a client without a login", "login 'alice'", "the broker", "the broker");
    }

    private List<Map<String, String>> explain(long sequence) throws SQLException, IOException {
        String query = Files.readString(file("explain_message"));
        return rows(query.replaceFirst("asked AS \\(SELECT (CAST\\()?0", "asked AS (SELECT $1" + sequence));
    }

    @Test
    void eachSubscriptionShowsWhatItOwes() throws Exception {
        assumeHas("owed_by_subscription");
        assertThat(ask("owed_by_subscription"))
                .extracting(row -> row.get("subscription") + " " + row.get("in_ring") + " " + row.get("in_backlog"))
                .containsExactly("slow 512 4", "fast 512 0");
    }

    @Test
    void eachRowTellsItsShardWhereADatabaseHasSeveral() throws Exception {
        assumeFalse(fixture.store.limits().exclusiveFile(), "a file holds one shard");
        StoreFixture neighbour = fixture.neighbour();
        try {
            AddressRow topic = neighbour.topic("orders", 1);
            neighbour.publish(topic, MESSAGES);
            neighbour
                    .batch()
                    .failed(13, neighbour.subscription(topic, 0).subscriptionId(), 1, 0)
                    .flush();
            neighbour.reclaim(RingGeometry.BLOCK);
            for (String query : List.of(
                    "ring_overview",
                    "backlog_by_address",
                    "oldest_owed_message",
                    "failed_deliveries",
                    "owed_by_subscription")) {
                assertThat(ask(query))
                        .as(query)
                        .extracting(row -> row.get("shard_id"))
                        .contains("0", "1");
            }
            assertThat(explain(13))
                    .extracting(row -> row.get("shard_id") + " " + row.get("subscription"))
                    .containsExactly("0 slow", "1 s0");
        } finally {
            neighbour.store.close();
        }
    }

    @Test
    void theCountersOfTheLogGrowWithItsFlushes() throws Exception {
        assumeHas("log_flushes");
        Map<String, String> before = ask("log_flushes").get(0);
        fixture.publish(orders, MESSAGES);
        fixture.reopen(); // a server may count what a session did when the session has ended
        await().untilAsserted(() -> {
            Map<String, String> after = ask("log_flushes").get(0);
            assertThat(grown("writes", before, after)).isPositive();
            assertThat(grown("bytes", before, after)).isGreaterThan((long) MESSAGES * BODY_BYTES);
            assertThat(number(after, "bytes_per_write")).isPositive();
        });
    }

    @Test
    void aSessionThatWaitsIsShown() throws Exception {
        assumeHas("blocked_sessions");
        assertThat(ask("blocked_sessions")).isEmpty();
        whileASessionIsBlocked(() -> assertThat(ask("blocked_sessions")).hasSize(1));
    }

    /** Looks for as long as it takes to see what is asserted, while one session waits for a row that another holds. */
    protected final void whileASessionIsBlocked(ThrowingCallable look) throws Exception {
        String update = "UPDATE ringtable.shard SET capacity = capacity";
        try (Connection holder = fixture.database.connect();
                Connection waiter = fixture.database.connect()) {
            holder.setAutoCommit(false);
            execute(holder, update);
            CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> {
                try {
                    execute(waiter, update);
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            try {
                await().untilAsserted(look::call);
            } finally {
                holder.rollback();
                waiting.join();
            }
        }
    }

    /** Ends the sessions of the store, whose last counts a server may wait for, and opens it anew. */
    protected final void reopen() {
        fixture.reopen();
    }

    /** Returns the rows of the query, each by the names of its columns. */
    protected final List<Map<String, String>> ask(String query) throws SQLException, IOException {
        return rows(Files.readString(file(query)));
    }

    private List<Map<String, String>> rows(String sql) throws SQLException {
        List<Map<String, String>> rows = new ArrayList<>();
        try (Statement statement = operator.createStatement();
                ResultSet answer = statement.executeQuery(sql)) {
            while (answer.next()) {
                Map<String, String> row = new TreeMap<>();
                for (int i = 1; i <= answer.getMetaData().getColumnCount(); i++) {
                    row.put(answer.getMetaData().getColumnLabel(i), answer.getString(i));
                }
                rows.add(row);
            }
        }
        return rows;
    }

    protected static long number(Map<String, String> row, String column) {
        return Long.parseLong(row.get(column));
    }

    protected static long grown(String column, Map<String, String> before, Map<String, String> after) {
        return number(after, column) - number(before, column);
    }

    protected static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Skips a test of a query that the engine, or this version of it, has not. */
    protected final void assumeHas(String query) throws IOException {
        assumeTrue(queries().contains(query) && isKnown(query), fixture.engine() + " has no query " + query);
    }

    private List<String> queries() throws IOException {
        try (Stream<Path> files = Files.list(file("any").getParent())) {
            return files.map(file -> file.getFileName().toString().replace(".sql", ""))
                    .sorted()
                    .toList();
        }
    }

    private Path file(String query) {
        return DB.resolve(fixture.engine()).resolve("operations").resolve(query + ".sql");
    }
}
