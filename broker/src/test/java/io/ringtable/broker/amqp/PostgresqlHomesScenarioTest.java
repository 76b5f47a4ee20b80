package io.ringtable.broker.amqp;

import static io.ringtable.broker.amqp.SymbolicPeer.described;
import static io.ringtable.broker.amqp.SymbolicPeer.uint;
import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.postgresql.PostgresqlServer;
import io.ringtable.broker.store.postgresql.PostgresqlTestDatabase;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.qpid.protonj2.types.DeliveryTag;
import org.apache.qpid.protonj2.types.DescribedType;
import org.apache.qpid.protonj2.types.transport.Transfer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Three shards of one PostgreSQL database in one broker. */
@Timeout(120)
class PostgresqlHomesScenarioTest {
    private static final int QUEUES = 6;
    private static final long WAIT_MS = 60_000;
    private static final TestSettings SETTINGS = TestSettings.of("ringtable.shards", 3);

    private PostgresqlTestDatabase database;
    private TestBroker broker;

    @BeforeEach
    void start() throws Exception {
        try {
            database = PostgresqlTestDatabase.migrated();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
        serve();
    }

    private void serve() {
        broker = TestBroker.start(database.settings(), SETTINGS);
    }

    @AfterEach
    void stop() throws Exception {
        if (broker != null) {
            broker.close();
        }
        if (database != null) {
            database.close();
        }
    }

    private void publish(String text) {
        try (JMSContext context = broker.jms().createContext()) {
            for (int i = 0; i < QUEUES; i++) {
                context.createProducer().send(context.createQueue("work." + i), text + i);
            }
        }
    }

    @Test
    void eachShardHasItsMessagesAgainAfterARestart() {
        String large = "x".repeat(300_000);
        publish(large);
        broker.close();
        serve();
        publish("of ");

        try (JMSContext context = broker.jms().createContext()) {
            for (int i = 0; i < QUEUES; i++) {
                JMSConsumer consumer = context.createConsumer(context.createQueue("work." + i));
                assertThat(consumer.receiveBody(String.class, WAIT_MS)).isEqualTo(large + i);
                assertThat(consumer.receiveBody(String.class, WAIT_MS)).isEqualTo("of " + i);
            }
        }
    }

    /** The letters of all shards come by one link, each with a tag that its own shard checks. */
    @Test
    void deadLettersOfEveryShardAreSettledInTheDatabaseByTheTagsOfAnEarlierConnection() throws Exception {
        publish("of ");
        for (int i = 0; i < QUEUES; i++) {
            Rejections.reject(broker, "work." + i);
        }
        Set<String> first = tagsOfLetters();
        assertThat(first.stream().map(PostgresqlHomesScenarioTest::shardOf).collect(Collectors.toSet()))
                .as("shards that the tags %s name", first)
                .hasSize(3);
        assertThat(tagsOfLetters()).as("tags after a reconnection").isEqualTo(first);

        try (Connection application = database.connect();
                PreparedStatement settle = application.prepareStatement("SELECT ringtable.settle(?)")) {
            for (String tag : first) {
                settle.setString(1, tag);
                settle.execute();
            }
            Awaitility.await()
                    .until(() -> PostgresqlServer.ask(application, "SELECT count(*) FROM ringtable.inbox")
                            .equals("0"));
        }
        try (JMSContext context = broker.jms().createContext()) {
            assertThat(context.createConsumer(context.createQueue("DLQ")).receiveNoWait())
                    .isNull();
        }
    }

    /** The tags of all letters, which stay unsettled. */
    private Set<String> tagsOfLetters() throws Exception {
        List<String> tags = new ArrayList<>();
        try (SymbolicPeer peer = new SymbolicPeer(broker.port())) {
            peer.send(described("amqp:open:list", "peer", "localhost", uint(65_536)));
            peer.expect("Open");
            peer.send(described("amqp:begin:list", null, uint(0), uint(1_000), uint(1_000)));
            peer.expect("Begin");
            DescribedType source = described("amqp:source:list", "queue://DLQ");
            DescribedType target = described("amqp:target:list", "me");
            peer.send(described("amqp:attach:list", "link", uint(0), true, null, null, source, target));
            peer.expect("Attach");
            peer.send(described(
                    "amqp:flow:list", uint(0), uint(1_000), uint(0), uint(1_000), uint(0), uint(0), uint(100)));
            while (tags.size() < QUEUES) {
                DeliveryTag tag = ((Transfer) peer.expect("Transfer")).getDeliveryTag();
                tags.add(new String(tag.tagBytes(), StandardCharsets.US_ASCII));
            }
        }
        return new TreeSet<>(tags);
    }

    /** Returns what a tag says of the shard: nothing for shard 0, else its second part. */
    private static String shardOf(String tag) {
        int colon = tag.indexOf(':');
        return colon < 0 ? "" : tag.substring(colon + 1, tag.indexOf('.', colon));
    }
}
