package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.status.BrokerStatus;
import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.postgresql.PostgresqlTestDatabase;
import io.ringtable.broker.work.CommitMonitor;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Fills the inbox of a real PostgreSQL with rows laid down by publish or written by hand. The collector goes on, each
 * row comes out as a message or as a dead letter, and no row stays.
 */
class PostgresqlInboxFuzzTest {
    private static final long SEED = Long.getLong("inbox.fuzz.seed", 13);
    private static final int ROWS = 600;
    private static final List<String> KEYS = List.of(
            "priority",
            "ttl",
            "message-id",
            "correlation-id",
            "content-type",
            "subject",
            "reply-to",
            "group-id",
            "durable",
            "a",
            "",
            "\uD83D\uDE80",
            "line\\nbreak",
            "k".repeat(3_000));
    private static final List<String> VALUES = List.of(
            "1",
            "-1",
            "0",
            "9",
            "4294967295",
            "9223372036854775807",
            "9223372036854775808",
            "1e400",
            "-1.5e3",
            "1" + "0".repeat(3_000),
            "0." + "3".repeat(3_000),
            "true",
            "false",
            "null",
            "\"x\"",
            "\"caf\u00e9\"",
            "\"\"",
            "{}",
            "[1]",
            "[".repeat(2_000) + "]".repeat(2_000),
            "{\"a\":".repeat(600) + "1" + "}".repeat(600),
            "\"" + "y".repeat(20_000) + "\"");
    private static final List<String> ADDRESSES = List.of(
            "q1",
            "q2",
            "queue://q1",
            "topic://q2",
            "temporary:gone",
            "x@since",
            "a".repeat(400),
            "a".repeat(401),
            " ",
            "line\nbreak");

    private final Random random = new Random(SEED);

    @Test
    void whatLiesInTheInboxNeverEndsTheCollector() throws Exception {
        PostgresqlTestDatabase database = open();
        TestSettings settings = TestSettings.of();
        RingtableBroker broker = new RingtableBroker(
                database.settings(), settings.shard(), settings.amqp(), settings.logins(), CommitMonitor.NONE);
        try (broker;
                Connection connection = database.connect()) {
            broker.start();
            for (String queue : List.of("q1", "q2")) { // so that topic://q2 is another kind
                broker.shard()
                        .catalog()
                        .ensure(queue, AddressKind.QUEUE)
                        .toCompletableFuture()
                        .get();
            }
            int laid = 0;
            for (int i = 0; i < ROWS; i++) {
                laid += random.nextInt(3) == 0 ? publish(connection) : write(connection);
            }
            assertThat(laid).as("rows, seed " + SEED).isGreaterThan(ROWS / 2);
            await().atMost(Duration.ofMinutes(1))
                    .untilAsserted(() ->
                            assertThat(waiting(connection)).as("seed " + SEED).isZero());
            assertThat(broker.inboxTrouble()).isNull();
            assertThat(broker.state().isActive()).isTrue();
            assertThat(broker.state().failures().total()).isZero();
            long stored = broker.status().shard().addresses().stream()
                    .mapToLong(BrokerStatus.Address::messages)
                    .sum();
            assertThat(stored).as("messages and dead letters, seed " + SEED).isEqualTo(laid);
        } finally {
            database.close();
        }
    }

    private static PostgresqlTestDatabase open() throws Exception {
        try {
            return PostgresqlTestDatabase.migrated();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
            throw absent;
        }
    }

    /** As an application does. @return 1 if it was taken */
    private int publish(Connection connection) throws SQLException {
        String address = pick(ADDRESSES);
        try (PreparedStatement call = connection.prepareStatement("SELECT ringtable.publish(?, ?, ?::jsonb)")) {
            call.setString(1, address);
            call.setString(2, "a text");
            call.setString(3, properties());
            call.execute();
            return 1;
        } catch (SQLException refused) {
            return 0;
        }
    }

    /** As nobody should. @return 1 if the constraints of the table take it */
    private int write(Connection connection) throws SQLException {
        String address = pick(ADDRESSES).replace("topic://", "").replace("queue://", "");
        byte[] body = new byte[random.nextInt(20)];
        random.nextBytes(body);
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO ringtable.inbox (shard_id, address, kind, content, body, properties, laid_down_at)"
                        + " VALUES (0, ?, ?, ?, ?, ?::jsonb, ?::timestamptz)")) {
            insert.setString(1, address);
            insert.setString(2, random.nextBoolean() ? "queue" : null);
            insert.setString(3, pick(List.of("text", "bytes")));
            insert.setBytes(4, body);
            insert.setString(5, random.nextInt(8) == 0 ? pick(VALUES) : properties());
            insert.setString(6, pick(List.of("now", "epoch", "0001-01-01", "9999-12-31", "infinity")));
            insert.execute();
            return 1;
        } catch (SQLException refused) {
            return 0;
        }
    }

    private String properties() {
        StringBuilder json = new StringBuilder("{");
        for (int i = random.nextInt(3); i >= 0; i--) {
            json.append('"')
                    .append(pick(KEYS))
                    .append("\": ")
                    .append(pick(VALUES))
                    .append(i == 0 ? "" : ", ");
        }
        return json.append('}').toString();
    }

    private String pick(List<String> of) {
        return of.get(random.nextInt(of.size()));
    }

    private static long waiting(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet count = statement.executeQuery("SELECT count(*) FROM ringtable.inbox")) {
            count.next();
            return count.getLong(1);
        }
    }
}
