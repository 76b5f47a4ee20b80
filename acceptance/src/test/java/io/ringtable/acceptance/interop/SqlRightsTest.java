package io.ringtable.acceptance.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.BrokerSettings;
import io.ringtable.acceptance.harness.Engine;
import io.ringtable.acceptance.harness.ServerDatabase;
import io.ringtable.client.AcknowledgeMode;
import io.ringtable.client.Message;
import io.ringtable.client.Publisher;
import io.ringtable.client.ReceivedMessage;
import io.ringtable.client.Receiver;
import io.ringtable.client.RingtableClient;
import io.ringtable.client.SubscriptionOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Lets logins of a PostgreSQL database try what the scripts in {@code setup} give them, and everything else. A broker
 * with users and rules works on it meanwhile. The database's rights alone decide: rules by address do not hold for SQL.
 */
class SqlRightsTest {
    private static final Path SQL =
            Path.of(System.getProperty("ringtable.root", ".."), "src/main/resources/db/postgresql");
    private static final String INSUFFICIENT_PRIVILEGE = "42501";
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Duration LOOK = Duration.ofMillis(100); // each is a connection of its own

    /** The roles of the logins; the last one has none. */
    private static final Map<String, String> ROLES = Map.of(
            "publisher", "ringtable_publisher",
            "settler", "ringtable_settler",
            "viewer", "ringtable_viewer",
            "operator", "ringtable_operator",
            "bounded", "shop_application",
            "stranger", "");

    private static final Set<String> NOBODY = Set.of();
    private static final Set<String> PEOPLE = Set.of("viewer", "operator");
    private static final Set<String> OPERATOR = Set.of("operator");

    private static final List<String> VIEWS = List.of("addresses", "subscriptions", "messages", "owed");
    /** Queries that read rows with bodies. */
    private static final Set<String> QUERIES_OF_MESSAGES = Set.of("explain_message.sql", "inbox_by_address.sql");

    private static final List<String> TABLES = List.of(
            "slot",
            "slot_1",
            "settlement",
            "backlog",
            "backlog_settlement",
            "overflow",
            "inbox",
            "producer",
            "duplicate_id",
            "client_owner");

    private static final List<String> SECRETS = List.of("setting", "delivery_key");

    private static final List<String> CHANGES = List.of(
            "INSERT INTO ringtable.inbox (shard_id, content, address, kind, body, properties, laid_down_at)"
                    + " VALUES (0, 'text', 'orders', 'queue', '', '{}', now())",
            "INSERT INTO ringtable.setting (shard_id, kind, name, document, changed_by, changed_at)"
                    + " VALUES (0, 'role', 'administrator', '{\"users\": [\"eve\"]}', '', now())",
            "UPDATE ringtable.setting SET document = '{}'",
            "UPDATE ringtable.shard SET epoch = epoch + 1",
            "UPDATE ringtable.subscription SET from_sequence = from_sequence + 1",
            "UPDATE ringtable.producer SET last_number = 0",
            "UPDATE ringtable.client_owner SET owner = 'eve'",
            "UPDATE ringtable.slot SET body = ''",
            "DELETE FROM ringtable.slot",
            "DELETE FROM ringtable.settlement",
            "DELETE FROM ringtable.inbox",
            "DELETE FROM ringtable.producer",
            "TRUNCATE ringtable.slot",
            "LOCK TABLE ringtable.shard IN ACCESS EXCLUSIVE MODE",
            "SELECT ringtable.lay_in_inbox('queue://orders', 'text', ''::bytea, '{}')",
            "SELECT ringtable.delivery_code(1, 1, 1)",
            "SELECT ringtable.add_segment(0)",
            "CREATE TABLE ringtable.own (n integer)",
            "DROP FUNCTION ringtable.settle(text)",
            "GRANT ringtable_publisher TO sql_stranger");

    @RegisterExtension
    static final Bench BENCH = new Bench();

    private static ServerDatabase database;
    private static BrokerProcess broker;

    @BeforeAll
    static void startBrokerAndMakeLogins() throws Exception {
        database = Engine.POSTGRESQL.database(BENCH);
        broker = BENCH.broker(SqlRightsTest::withAnnWhoMayUseOrders).start();
        database.execute(
                Files.readString(SQL.resolve("setup/roles.sql")),
                Files.readString(SQL.resolve("setup/roles.sql")), // as after an upgrade
                Files.readString(SQL.resolve("setup/one_address.sql")));
        for (Map.Entry<String, String> login : ROLES.entrySet()) {
            database.execute("CREATE ROLE sql_" + login.getKey() + " LOGIN");
            if (!login.getValue().isEmpty()) {
                database.execute("GRANT " + login.getValue() + " TO sql_" + login.getKey());
            }
        }
    }

    private static BrokerSettings withAnnWhoMayUseOrders(BrokerSettings settings) {
        return settings.store(database)
                .with("ringtable.security.users[0].name", "ann")
                .with("ringtable.security.users[0].password", "{noop}ann")
                .with("ringtable.security.rules[0].match", "orders")
                .with("ringtable.security.rules[0].users", "ann")
                .with("ringtable.security.rules[0].permissions", "send,receive,create");
    }

    @ParameterizedTest
    @ValueSource(strings = {"publisher", "settler", "viewer", "operator", "bounded", "stranger"})
    void mayWhatItsRoleGivesAndNothingElse(String login) throws Exception {
        Map<String, String> expected = new LinkedHashMap<>();
        Map<String, String> found = new LinkedHashMap<>();
        try (RingtableClient ann = ann();
                Receiver orders = ordersOf(ann);
                Connection connection = connect(login)) {
            ReceivedMessage message = sent(ann, orders, "to be settled by " + login);
            connection.setAutoCommit(false);
            tries(message.deliveryTag()).forEach((sql, allowed) -> {
                expected.put(sql, allowed.contains(login) ? "allowed" : "denied");
                found.put(sql, attempt(connection, sql));
            });
            message.acknowledge();
        }
        assertThat(found).isEqualTo(expected).hasSizeGreaterThan(40);
        assertThat(expected.containsValue("allowed")).isEqualTo(!login.equals("stranger"));
    }

    /** Returns what is tried, and which logins may do it. */
    private static Map<String, Set<String>> tries(String deliveryTag) {
        Map<String, Set<String>> tries = new LinkedHashMap<>();
        tries.put("SELECT ringtable.publish('queue://orders', 'text')", Set.of("publisher"));
        tries.put("SELECT ringtable.publish('queue://orders', '\\x00ff'::bytea, '{\"n\": 1}')", Set.of("publisher"));
        tries.put("SELECT shop.publish_order('text')", Set.of("bounded"));
        tries.put("SELECT ringtable.settle('" + deliveryTag + "')", Set.of("settler"));
        VIEWS.forEach(view -> tries.put("SELECT * FROM ringtable." + view, PEOPLE));
        queries().forEach((name, sql) -> tries.put(sql, QUERIES_OF_MESSAGES.contains(name) ? OPERATOR : PEOPLE));
        tries.put("SELECT segment, sequence FROM ringtable.slot", PEOPLE);
        tries.put("SELECT max(octet_length(body)) FROM ringtable.slot", OPERATOR);
        TABLES.forEach(table -> tries.put("SELECT * FROM ringtable." + table, OPERATOR));
        SECRETS.forEach(table -> tries.put("SELECT * FROM ringtable." + table, NOBODY));
        CHANGES.forEach(sql -> tries.put(sql, NOBODY));
        tries.put("SET LOCAL ROLE ringtable_operator", OPERATOR);
        return tries;
    }

    /** Returns those for operators that read what is Ringtable's, by name; everybody may run the others. */
    private static Map<String, String> queries() {
        Map<String, String> queries = new TreeMap<>();
        try (Stream<Path> files = Files.list(SQL.resolve("operations"))) {
            for (Path file : files.toList()) {
                String sql = Files.readString(file);
                if (sql.replaceAll("--[^\n]*", "").contains("ringtable.")) {
                    queries.put(file.getFileName().toString(), sql);
                }
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        assertThat(queries).hasSizeGreaterThan(6).containsKeys(QUERIES_OF_MESSAGES.toArray(String[]::new));
        return queries;
    }

    /** Tries the statement, and rolls back. */
    private static String attempt(Connection connection, String sql) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
            return "allowed";
        } catch (SQLException e) {
            return e.getSQLState().equals(INSUFFICIENT_PRIVILEGE) ? "denied" : e.getSQLState() + " " + e.getMessage();
        } finally {
            try {
                connection.rollback();
            } catch (SQLException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** The broker has no rule for {@code payments}. */
    @Test
    void aPublisherReachesAddressesThatNoRuleGivesAnybody() throws Exception {
        try (RingtableClient ann = ann()) {
            assertThatThrownBy(() -> ann.publisher("queue://payments").publishAndWait(Message.text("by AMQP")))
                    .hasMessageContaining("RT-4350")
                    .hasMessageContaining("'payments'");
        }
        execute("publisher", "SELECT ringtable.publish('queue://payments', 'by SQL')");
        await().atMost(LONG)
                .pollInterval(LOOK)
                .until(() -> database.ask("SELECT address FROM ringtable.owed"), owed -> owed.contains("payments"));
    }

    @Test
    void aBoundedPublisherReachesItsAddress() throws Exception {
        try (RingtableClient ann = ann();
                Receiver orders = ordersOf(ann)) {
            execute("bounded", "SELECT shop.publish_order('one book', '{\"priority\": 7}')");
            ReceivedMessage message = orders.receive(LONG).orElseThrow();
            assertThat(message.text()).isEqualTo("one book");
            assertThat(message.priority()).isEqualTo(7);
            message.acknowledge();
        }
    }

    @Test
    void aSettlerSettlesWhatItWasGivenAndNoTagOfItsOwnMaking() throws Exception {
        try (RingtableClient ann = ann();
                Receiver orders = ordersOf(ann)) {
            String tag = sent(ann, orders, "to be settled").deliveryTag();
            String forged = tag.substring(0, tag.length() - 1) + (tag.endsWith("A") ? "B" : "A");
            assertThatThrownBy(() -> execute("settler", "SELECT ringtable.settle('" + forged + "')"))
                    .hasMessageContaining("RT-3350");
            execute("settler", "SELECT ringtable.settle('" + tag + "')");
            await().atMost(LONG)
                    .pollInterval(LOOK)
                    .until(() -> database.ask("SELECT address FROM ringtable.owed"), owed -> !owed.contains("orders"));
        }
    }

    private static RingtableClient ann() {
        return RingtableClient.builder()
                .uri(broker.amqpUrl())
                .user("ann", () -> "ann")
                .connect();
    }

    private static Receiver ordersOf(RingtableClient client) {
        return client.receiver(SubscriptionOptions.queue("orders").acknowledge(AcknowledgeMode.MANUAL));
    }

    private static ReceivedMessage sent(RingtableClient client, Receiver receiver, String text) {
        try (Publisher publisher = client.publisher("queue://orders")) {
            publisher.publishAndWait(Message.text(text));
        }
        ReceivedMessage message = receiver.receive(LONG).orElseThrow();
        assertThat(message.text()).isEqualTo(text);
        return message;
    }

    private static Connection connect(String login) throws SQLException {
        return DriverManager.getConnection(database.url(), "sql_" + login, "");
    }

    private static void execute(String login, String sql) throws SQLException {
        try (Connection connection = connect(login);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
