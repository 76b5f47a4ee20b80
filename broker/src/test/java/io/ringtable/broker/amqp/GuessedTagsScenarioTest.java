package io.ringtable.broker.amqp;

import static io.ringtable.broker.amqp.SymbolicPeer.described;
import static io.ringtable.broker.amqp.SymbolicPeer.uint;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.postgresql.PostgresqlServer;
import io.ringtable.broker.store.postgresql.PostgresqlTestDatabase;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.Message;
import jakarta.jms.Queue;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.apache.qpid.protonj2.types.DeliveryTag;
import org.apache.qpid.protonj2.types.DescribedType;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.transport.Transfer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A role that may execute {@code ringtable.settle} and nothing else, on PostgreSQL: what it can do with tags, its own
 * and guessed.
 */
@Timeout(120)
class GuessedTagsScenarioTest {
    private static final int MESSAGES = 5;
    private static final long WAIT_MS = 60_000;
    private static final String DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

    private PostgresqlTestDatabase database;
    private TestBroker broker;
    private Connection application; // as the role; commits by itself
    private String role;

    @BeforeEach
    void start() throws Exception {
        try {
            database = PostgresqlTestDatabase.migrated();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
        role = "app_" + ProcessHandle.current().pid() + "_" + System.nanoTime();
        try (Connection owner = database.connect();
                Statement statement = owner.createStatement()) {
            statement.execute("CREATE ROLE " + role);
            // as some administrators have it, for the sake of reports
            statement.execute("ALTER DEFAULT PRIVILEGES IN SCHEMA ringtable GRANT SELECT ON TABLES TO " + role);
            broker = TestBroker.start(database.settings());
            statement.execute("GRANT USAGE ON SCHEMA ringtable TO " + role);
            statement.execute("GRANT EXECUTE ON FUNCTION ringtable.publish(text, text, jsonb),"
                    + " ringtable.publish(text, bytea, jsonb), ringtable.settle(text) TO " + role);
        }
        application = database.connect();
        try (Statement statement = application.createStatement()) {
            statement.execute("SET ROLE " + role);
        }
    }

    @AfterEach
    void stop() throws Exception {
        if (broker != null) {
            broker.close();
        }
        if (application != null) {
            application.close();
        }
        if (database != null) {
            database.close();
        }
    }

    private void publish(String queue) {
        try (JMSContext context = broker.jms().createContext()) {
            for (int i = 0; i < MESSAGES; i++) {
                context.createProducer().send(context.createQueue(queue), queue + " " + i);
            }
        }
    }

    private List<String> receiveAll(String queue) throws Exception {
        List<String> received = new ArrayList<>();
        try (JMSContext context = broker.jms().createContext()) {
            JMSConsumer consumer = context.createConsumer(context.createQueue(queue));
            for (Message next = consumer.receive(WAIT_MS); next != null; next = consumer.receiveNoWait()) {
                received.add(next.getBody(String.class));
            }
        }
        return received;
    }

    private static List<String> expected(String queue, int from) {
        List<String> expected = new ArrayList<>();
        for (int i = from; i < MESSAGES; i++) {
            expected.add(queue + " " + i);
        }
        return expected;
    }

    private void settle(String tag) throws SQLException {
        try (PreparedStatement call = application.prepareStatement("SELECT ringtable.settle(?)")) {
            call.setString(1, tag);
            call.execute();
        }
    }

    private boolean isSettled(String tag) {
        try {
            settle(tag);
            return true;
        } catch (SQLException refused) {
            return false;
        }
    }

    private void awaitEmptyInbox() {
        Awaitility.await().until(() -> {
            try (Connection owner = database.connect()) {
                return PostgresqlServer.ask(owner, "SELECT count(*) FROM ringtable.inbox")
                        .equals("0");
            }
        });
    }

    @Test
    void guessedTagsOfUndeliveredAndDeliveredMessagesSettleNothing() throws Exception {
        publish("waiting");
        publish("delivered");
        try (JMSContext other = broker.jms().createContext(JMSContext.CLIENT_ACKNOWLEDGE)) {
            Queue queue = other.createQueue("delivered");
            JMSConsumer consumer = other.createConsumer(queue);
            assertThat(consumer.receive(WAIT_MS)).isNotNull();
            int settled = 0;
            for (int epoch = 0; epoch < 3; epoch++) {
                for (int subscription = 0; subscription < 6; subscription++) {
                    for (int sequence = 0; sequence < 3 * MESSAGES; sequence++) {
                        String digits = DIGITS.charAt(epoch) + "." + DIGITS.charAt(subscription) + "."
                                + DIGITS.charAt(sequence);
                        settled += isSettled(epoch + "." + subscription + "." + sequence) ? 1 : 0;
                        settled += isSettled(digits) ? 1 : 0;
                        settled += isSettled(digits + ".AAAAAAAAAA") ? 1 : 0;
                    }
                }
            }
            awaitEmptyInbox();
            assertThat(receiveAll("waiting"))
                    .as("what is left after guesses, %d of which were taken", settled)
                    .isEqualTo(expected("waiting", 0));
            assertThat(settled).isZero();
        }
        assertThat(receiveAll("delivered")).isEqualTo(expected("delivered", 0));
    }

    /** The delivery tag of the first message of the queue, which stays unsettled. */
    private String tagOfTheFirst(SymbolicPeer peer, String queue, boolean browses) throws Exception {
        peer.send(described("amqp:open:list", "peer", "localhost", uint(65_536)));
        peer.expect("Open");
        peer.send(described("amqp:begin:list", null, uint(0), uint(1_000), uint(1_000)));
        peer.expect("Begin");
        Symbol copy = browses ? Symbol.valueOf("copy") : null;
        DescribedType source = described("amqp:source:list", "queue://" + queue, null, null, null, null, null, copy);
        DescribedType target = described("amqp:target:list", "me");
        peer.send(described("amqp:attach:list", "link", uint(0), true, null, null, source, target));
        peer.expect("Attach");
        peer.send(described("amqp:flow:list", uint(0), uint(1_000), uint(0), uint(1_000), uint(0), uint(0), uint(1)));
        DeliveryTag tag = ((Transfer) peer.expect("Transfer")).getDeliveryTag();
        return new String(tag.tagBytes(), StandardCharsets.US_ASCII);
    }

    @Test
    void whoHasTheDeliverySettlesItAlsoWhileNoBrokerRuns() throws Exception {
        publish("work");
        String tag;
        try (SymbolicPeer peer = new SymbolicPeer(broker.port())) {
            tag = tagOfTheFirst(peer, "work", false);
            assertThat(tag).matches("[\\w-]+[.][\\w-]+[.][\\w-]+[.][\\w-]{10}").hasSizeLessThanOrEqualTo(32);
        }
        broker.close();
        settle(tag);
        broker = TestBroker.start(database.settings());
        awaitEmptyInbox();
        assertThat(receiveAll("work")).isEqualTo(expected("work", 1));
        assertThatThrownBy(() -> settle(tag)).hasMessageContaining("RT-3063"); // a new owner: the key is the same
    }

    @Test
    void whoOnlyLooksSettlesNothing() throws Exception {
        publish("seen");
        try (SymbolicPeer peer = new SymbolicPeer(broker.port())) {
            String tag = tagOfTheFirst(peer, "seen", true);
            assertThatThrownBy(() -> settle(tag)).hasMessageContaining("RT-3061");
        }
        assertThat(receiveAll("seen")).isEqualTo(expected("seen", 0));
    }

    @Test
    void theRoleReachesNothingElse() throws Exception {
        for (String forbidden : List.of(
                "SELECT secret FROM ringtable.delivery_key",
                "SELECT ringtable.keep_delivery_key(0, '\\x00')",
                "SELECT ringtable.delivery_code(1, 1, 1)",
                "SELECT ringtable.lay_in_inbox('q', 'settlement', '', '{}')",
                "SELECT ringtable.delete_from_inbox(0, '{1}')",
                "INSERT INTO ringtable.inbox (shard_id, content, subscription_id, sequence, laid_down_at)"
                        + " VALUES (0, 'settlement', 1, 1, now())")) {
            try (Statement statement = application.createStatement()) {
                assertThatThrownBy(() -> statement.execute(forbidden))
                        .as(forbidden)
                        .hasMessageContaining("permission denied");
            }
        }
        try (Connection owner = database.connect()) {
            assertThat(PostgresqlServer.ask(
                            owner,
                            "SELECT string_agg(proname, ' ' ORDER BY proname) FROM pg_proc"
                                    + " WHERE pronamespace = 'ringtable'::regnamespace AND prosecdef"))
                    .isEqualTo("publish publish settle");
            assertThat(PostgresqlServer.ask(
                            owner,
                            "SELECT count(*) FROM pg_class WHERE relnamespace = 'ringtable'::regnamespace"
                                    + " AND relkind IN ('r', 'p', 'v') AND has_table_privilege('" + role
                                    + "', oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')"))
                    .isEqualTo("0");
        }
    }
}
