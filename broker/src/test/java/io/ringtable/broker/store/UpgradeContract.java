package io.ringtable.broker.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.InboxMessage;
import io.ringtable.broker.message.InboxRow;
import io.ringtable.broker.message.PublisherLogin;
import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.setting.Setting;
import io.ringtable.broker.setting.SettingKind;
import io.ringtable.broker.store.directory.HomeChange;
import io.ringtable.broker.store.directory.HomeRow;
import io.ringtable.broker.store.jdbc.SchemaMigrations;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * A database that an earlier broker has left starts, and everything in it is there. Such a database is made by the
 * versioned steps up to each earlier one. Its rows are those of a store that has been used, as they stood then.
 * Applications have published into it with the procedures of that schema.
 */
abstract class UpgradeContract {
    private static final Path DB = Path.of(System.getProperty("ringtable.root", ".."), "src/main/resources/db");

    /** That an earlier schema may have; each after those that it refers to. */
    private static final List<String> TABLES = List.of(
            "shard",
            "lease",
            "node",
            "address",
            "client_owner",
            "setting",
            "subscription",
            "replay",
            "segment",
            "slot",
            "settlement",
            "backlog",
            "backlog_settlement",
            "backlog_summary",
            "redelivery",
            "overflow",
            "producer",
            "duplicate_id",
            "delivery_key",
            "growth",
            "login",
            "directory",
            "home");

    /** Texts in the inbox that no broker has collected yet. */
    private static final List<String> UNCOLLECTED = List.of("paid", "shipped");

    private static final HomeRow ORDERS =
            new HomeRow(HomeRow.Scope.ADDRESS, "orders", 0, AddressKind.TOPIC, 0, "", HomeRow.State.HERE, 1);

    private AddressRow topic;
    private SubscriptionRow copying;
    private SubscriptionRow copied;

    abstract StoreFixture fixture();

    abstract TestDatabase empty() throws Exception;

    @TestFactory
    Stream<DynamicTest> everyEarlierSchemaStartsWithEverythingInIt() throws Exception {
        StoreFixture f = fixture();
        use(f);
        f.agrees();
        f.store.close();
        return earlierVersions(f.engine()).stream()
                .map(version -> DynamicTest.dynamicTest(version, () -> upgrade(f, version)));
    }

    @Test
    void whatIsMissingOfTheProceduresIsInstalledAtTheNextStart() throws Exception {
        StoreFixture f = fixture();
        use(f);
        f.store.close();
        try (Connection connection = f.database.connect();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("DELETE FROM " + prefix(f) + SchemaMigrations.HISTORY
                    + " WHERE version IS NULL AND description > 'm'");
        }
        f.reopen();
        f.agrees();
    }

    private void upgrade(StoreFixture newest, String version) throws Exception {
        TestDatabase database = empty();
        makeAsOf(newest, database, version);
        StoreFixture f = new StoreFixture(database, newest.model.copy());
        List<String> published = List.of();
        HomeRow home = ORDERS;
        try {
            try (Connection old = database.connect();
                    Connection used = newest.database.connect()) {
                old.setAutoCommit(false); // a transaction, not thousands
                copy(newest, used, old);
                if (!has(f, old, "replay")) {
                    hideReplays(f, old);
                }
                if (!has(f, old, "client_owner")) {
                    f.model.clientOwners.clear();
                }
                if (!has(f, old, "setting")) {
                    f.model.settings.clear();
                }
                if (!has(f, old, "login")) {
                    f.model.forgetLogins();
                }
                if (!columns(old, prefix(f) + "producer").contains("owner")) {
                    f.model.disownProducers();
                }
                if (!has(f, old, "home")) {
                    home = null; // one shard has every name; several enter them when they start
                }
                if (has(f, old, "inbox")) {
                    publish(f, old);
                    published = UNCOLLECTED;
                }
                old.commit();
            }
            f.open();
            f.agrees();
            assertThat(f.store.directory().changes(0).rows()).isEqualTo(home == null ? List.of() : List.of(home));
            collect(f, published);
            try (Connection upgraded = database.connect()) {
                assertThat(number(
                                upgraded, "SELECT count(*) FROM " + prefix(f) + "producer WHERE name LIKE '$replay:%'"))
                        .isZero();
            }
            goOn(f);
            f.reopen();
            f.agrees();
        } finally {
            f.close();
        }
    }

    // ---- a store that has been used

    private void use(StoreFixture f) {
        HomeRow orders = new HomeRow(HomeRow.Scope.ADDRESS, "orders", 0, AddressKind.TOPIC, 0, "", ORDERS.state(), 0);
        assertThat(f.store.directory().alter(List.of(HomeChange.put(orders))).rows())
                .containsExactly(ORDERS);
        topic = f.topic("orders", 3);
        AddressRow queue = f.address("läden/★", AddressKind.QUEUE);
        f.subscribe(queue, "", 0, 0);
        copying = f.subscription(topic, 1);
        copied = f.subscription(topic, 2);
        ProducerRow producer = f.producer(topic, "shop-1");
        f.producer(queue, "läden/★ \"2\" 100%", "alice");
        f.alter(new CatalogChange.OwnClient("client", "alice"));
        f.login(1, PublisherLogin.of("alice"));
        f.alter(new CatalogChange.PutSetting(
                new Setting(SettingKind.RULE, "all of it", "{}", "alice", Instant.ofEpochMilli(1_760_000_000_000L))));
        f.alter(
                new CatalogChange.BeginReplay(copying.subscriptionId(), 0),
                new CatalogChange.BeginReplay(copied.subscriptionId(), 0));

        f.publish(topic, 3 * RingGeometry.BLOCK);
        f.publish(queue, 100);
        byte[] large = new byte[3 << 20];
        f.random.nextBytes(large);
        f.store.stage(f.epoch, 7, large);
        f.batch()
                .publish(topic, null, 7, large.length, 0, 0, 9)
                .publish(
                        queue,
                        StoreFixture.body("late and soon over"),
                        0,
                        18,
                        4_000_000_000_000L,
                        3_900_000_000_000L,
                        0)
                .produced(producer, 4711)
                .identified(topic, 0, 0, StoreFixture.body("order-1"))
                .identified(queue, 3, 17, new byte[] {0, -1, 127, -128})
                .copied(copying, 700)
                .copied(copied, 3_000)
                .flush();
        f.alter(new CatalogChange.EndReplay(copied.subscriptionId()));
        f.batch().settle(0, 900, 0).settle(3_100, 3_110, 0).flush();
        f.reclaim(RingGeometry.BLOCK);
        f.reclaim(2 * RingGeometry.BLOCK);
        f.batch()
                .settle(100, 200, 1)
                .settle(100, 200, 2)
                .failed(2_500, copying.subscriptionId(), 3, 4_000_000_000_000L)
                .flush();
        f.discard(topic, 100, 150);
        TestFlush bounds = f.batch().publish(topic, 5);
        bounds.dispatchBounds.add(new Flush.DispatchBound(copying.subscriptionId(), 640));
        bounds.dispatchBound = 3_000;
        bounds.flush();
    }

    /** Goes on with an upgraded database as with every other. */
    private void goOn(StoreFixture f) {
        ProducerRow producer = f.model.producers.values().stream()
                .filter(row -> row.name().equals("shop-1"))
                .findFirst()
                .orElseThrow();
        f.batch()
                .publish(topic, 10)
                .produced(producer, 4712)
                .identified(topic, 0, 1, StoreFixture.body("order-2"))
                .copied(copying, 1_200)
                .flush();
        f.reclaim(3 * RingGeometry.BLOCK);
        f.discard(topic, 0, 300);
        f.alter(new CatalogChange.EndReplay(copying.subscriptionId()));
        f.alter(new CatalogChange.Unsubscribe(copied.subscriptionId()));
        f.alter(new CatalogChange.PutSetting(
                new Setting(SettingKind.USER, "bob", "{\"groups\":[]}", "", Instant.ofEpochMilli(1_770_000_000_001L))));
        f.login(1 + f.model.logins.size(), PublisherLogin.of("bob"));
        HomeRow shop = new HomeRow(HomeRow.Scope.ADDRESS, "shop", 0, AddressKind.QUEUE, 0, "", HomeRow.State.HERE, 0);
        assertThat(f.store.directory().alter(List.of(HomeChange.put(shop))).isApplied())
                .isTrue();
        f.agrees();
    }

    // ---- an earlier database

    /** The first step of the servers made tables alone: no broker has worked with those. */
    private static List<String> earlierVersions(String engine) throws IOException {
        try (Stream<Path> files = Files.list(DB.resolve(engine).resolve("migrations"))) {
            List<String> all = files.map(file -> file.getFileName().toString().replaceFirst("^V(\\d+)__.*", "$1"))
                    .sorted()
                    .toList();
            return all.subList(engine.equals("sqlite") ? 0 : 1, all.size() - 1);
        }
    }

    private static void makeAsOf(StoreFixture newest, TestDatabase database, String version) throws SQLException {
        String url;
        try (Connection connection = database.connect()) {
            url = connection.getMetaData().getURL();
        }
        FluentConfiguration configuration = Flyway.configure()
                .dataSource(
                        url,
                        database.settings().properties().username(),
                        database.settings().properties().password())
                .locations("classpath:db/" + newest.engine() + "/migrations")
                .table(SchemaMigrations.HISTORY)
                .target(version);
        if (!newest.engine().equals("sqlite")) {
            configuration.schemas("ringtable");
        }
        configuration.load().migrate();
    }

    private static void copy(StoreFixture f, Connection from, Connection to) throws SQLException {
        for (String table : TABLES) {
            if (!has(f, from, table) || !has(f, to, table)) {
                continue;
            }
            if (table.equals("segment")) {
                addSegments(to, number(from, "SELECT max(segment) FROM segment"));
            } else if (table.equals("directory")) {
                deleteAll(to, prefix(f) + table); // its step has laid one row
            }
            copy(prefix(f) + table, from, to);
        }
    }

    /** As many tables as the ring of a PostgreSQL server has. */
    private static void addSegments(Connection to, long segments) throws SQLException {
        for (int i = 0; i < segments; i++) {
            number(to, "SELECT add_segment(0)");
        }
        deleteAll(to, "segment");
    }

    private static void deleteAll(Connection connection, String table) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("DELETE FROM " + table);
        }
    }

    private static void copy(String table, Connection from, Connection to) throws SQLException {
        List<String> columns =
                columns(to, table).stream().map(name -> '"' + name + '"').toList(); // a later step may have added some
        try (Statement select = from.createStatement();
                ResultSet rows = select.executeQuery("SELECT " + String.join(", ", columns) + " FROM " + table)) {
            String places = "?" + ", ?".repeat(columns.size() - 1);
            try (PreparedStatement insert = to.prepareStatement(
                    "INSERT INTO " + table + " (" + String.join(", ", columns) + ") VALUES (" + places + ")")) {
                while (rows.next()) {
                    for (int i = 1; i <= columns.size(); i++) {
                        insert.setObject(i, rows.getObject(i));
                    }
                    insert.addBatch();
                }
                insert.executeBatch();
            }
        }
    }

    private static List<String> columns(Connection connection, String table) throws SQLException {
        try (Statement select = connection.createStatement();
                ResultSet rows = select.executeQuery("SELECT * FROM " + table + " WHERE 1 = 0")) {
            List<String> columns = new ArrayList<>();
            for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                columns.add(rows.getMetaData().getColumnName(i));
            }
            return columns;
        }
    }

    private static void publish(StoreFixture f, Connection old) throws SQLException {
        String call = f.engine().equals("postgresql")
                ? "SELECT ringtable.publish('queue://shop', '%s', '{\"priority\": 7}')"
                : "EXECUTE ringtable.publish N'queue://shop', N'%s', N'{\"priority\": 7}'";
        try (Statement statement = old.createStatement()) {
            for (String text : UNCOLLECTED) {
                statement.execute(call.formatted(text));
            }
        }
    }

    /** The rows are there, in order, and go with the flush that takes them over. */
    private static void collect(StoreFixture f, List<String> published) {
        List<InboxRow> rows = f.store.readInbox(List.of(), 10, 1 << 20);
        assertThat(rows.stream()
                        .map(row -> (InboxMessage) row)
                        .map(row -> row.address() + " " + row.properties() + " "
                                + new String(row.body(), StandardCharsets.UTF_8)))
                .isEqualTo(published.stream()
                        .map(text -> "shop {\"priority\": 7} " + text)
                        .toList());
        f.flush(new Flush(
                f.epoch,
                f.model.gate,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                Flush.UNCHANGED,
                rows.stream().map(InboxRow::id).toList()));
        assertThat(f.store.readInbox(List.of(), 10, 1 << 20)).isEmpty();
    }

    /** Before they had a table replays stood among the producers, each with an id of its own. */
    private static void hideReplays(StoreFixture f, Connection old) throws SQLException {
        String used = f.engine().equals("sqlite") ? "1760000000000" : "CURRENT_TIMESTAMP";
        try (Statement statement = old.createStatement()) {
            for (ReplayRow row : f.model.replays.values()) {
                long id = f.model.nextId++;
                String shard = f.engine().equals("sqlite") ? "" : "shard_id, ";
                statement.executeUpdate("INSERT INTO " + prefix(f) + "producer (" + shard
                        + "producer_id, address_id, name, incarnation, last_number, used_at) VALUES ("
                        + (shard.isEmpty() ? "" : "0, ") + id + ", "
                        + f.model.subscriptions.get(row.subscriptionId()).addressId() + ", '$replay:"
                        + row.subscriptionId() + "', " + (row.finished() ? 2 : 1) + ", " + row.position() + ", " + used
                        + ")");
            }
            statement.executeUpdate("UPDATE " + prefix(f) + "shard SET next_id = " + f.model.nextId);
        }
    }

    private static String prefix(StoreFixture f) {
        return f.engine().equals("sqlite") ? "" : "ringtable.";
    }

    private static boolean has(StoreFixture f, Connection connection, String table) throws SQLException {
        String schema = f.engine().equals("sqlite") ? null : "ringtable";
        try (ResultSet found = connection.getMetaData().getTables(connection.getCatalog(), schema, table, null)) {
            return found.next();
        }
    }

    private static long number(Connection connection, String question) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet answer = statement.executeQuery(question)) {
            answer.next();
            return answer.getLong(1);
        }
    }
}
