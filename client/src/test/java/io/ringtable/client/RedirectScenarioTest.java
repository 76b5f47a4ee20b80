package io.ringtable.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.Shard;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.store.postgresql.PostgresqlTestDatabase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two brokers of a cluster send a client to the node that has its first address. */
@Timeout(120)
class RedirectScenarioTest {
    private static final String THERE = "there"; // at the owner
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    private static Path directory;

    private static PostgresqlTestDatabase database;
    private static RealBroker owner;
    private static RealBroker front;

    private final List<String> connected = new CopyOnWriteArrayList<>();

    @BeforeAll
    static void start() throws Exception {
        try {
            database = PostgresqlTestDatabase.migrated();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
        owner = start("owner", 0, "ringtable.queues", THERE);
        front = start("front", 1);
        Shard known = front.broker().shard();
        await().until(() -> {
            Address address = known.lookup().find(THERE);
            Home.Owner seen = address == null ? null : known.homeOf(address).elsewhere();
            return seen != null && owner.uri().equals(seen.url());
        });
    }

    private static RealBroker start(String name, int shard, Object... more) {
        RealBroker node = RealBroker.start(
                new StoreSettings(database.settings().properties(), directory.resolve(name)),
                TestSettings.of(
                                "ringtable.shards",
                                2,
                                "ringtable.lease",
                                "6s", // longer than other load keeps a node from renewing
                                "ringtable.cluster.enabled",
                                true,
                                "ringtable.cluster.shards",
                                shard)
                        .with(more));
        await().until(() -> node.broker().status().shards().get(shard).isActive());
        return node;
    }

    @AfterAll
    static void stop() throws Exception {
        if (front != null) {
            front.close();
        }
        if (owner != null) {
            owner.close();
        }
        if (database != null) {
            database.close();
        }
    }

    private ClientBuilder client() {
        return front.client().listener(new ClientListener() {
            @Override
            public void connected(String uri) {
                connected.add(uri);
            }
        });
    }

    private static long relayed() {
        return front.broker().amqpCounters().relayedLinks.sum()
                + owner.broker().amqpCounters().relayedLinks.sum();
    }

    @Test
    void publishesAndReceivesWithoutAHop() {
        try (RingtableClient client = client().redirect(true).connect();
                Publisher publisher = client.publisher(THERE);
                Receiver receiver = client.receiver(SubscriptionOptions.queue(THERE))) {
            publisher.publishAndWait(Message.text("direct"));
            ReceivedMessage message = receiver.receive(LONG).orElseThrow();
            assertThat(message.text()).isEqualTo("direct");
            message.acknowledge();
            assertThat(relayed()).isZero();
            assertThat(connected).containsExactly(front.uri(), owner.uri());

            try (Publisher elsewhere = client.publisher("here")) {
                elsewhere.publishAndWait(Message.text("on the same connection"));
            }
            assertThat(connected).hasSize(2);
        }
    }

    @Test
    void staysUnlessItAsks() {
        try (RingtableClient client = client().connect();
                Publisher publisher = client.publisher(THERE);
                Receiver receiver = client.receiver(SubscriptionOptions.queue(THERE))) {
            publisher.publishAndWait(Message.text("over a relay"));
            receiver.receive(LONG).orElseThrow().acknowledge();
            assertThat(relayed()).isEqualTo(2);
            assertThat(connected).containsExactly(front.uri());
        }
        await().until(() -> relayed() == 0);
    }

    @Test
    void aClientThatDoesNotReconnectCannotAsk() {
        ClientBuilder never = client().redirect(true).reconnect(Reconnect.DEFAULT.giveUpAfter(Duration.ZERO));
        assertThatThrownBy(never::connect).hasMessageContaining("RT-5001").hasMessageContaining("cannot follow");
    }
}
