package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.status.ShardStatus;
import jakarta.jms.Connection;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.Session;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two nodes serve the shards of one database of PostgreSQL at the same time, each those that it owns. They agree on who
 * has a name (ADR 64).
 */
@Timeout(300)
class ClusterScenarioTest {
    private static final int SHARDS = 4;
    private static final int PAIRS = 10; // affinities
    private static final long WAIT_MS = 60_000;

    @AutoClose
    static TestCluster cluster;

    static TestBroker a; // has the shards 0 and 1
    static TestBroker b; // has the shards 2 and 3

    @BeforeAll
    static void start() throws Exception {
        TestSettings settings = TestCluster.settings(SHARDS, "2s")
                .with(
                        "ringtable.dispatch.addresses[0].match", "wide.#",
                        "ringtable.dispatch.addresses[0].parts", SHARDS,
                        "ringtable.dispatch.addresses[1].match", "twins.#",
                        "ringtable.dispatch.addresses[1].affinity", "twins");
        for (int i = 0; i < PAIRS; i++) {
            String its = "ringtable.dispatch.addresses[" + (i + 2) + "].";
            settings = settings.with(its + "match", "pair." + i + ".#", its + "affinity", "pair " + i);
        }
        cluster = new TestCluster(settings);
        a = cluster.start("a", "0,1");
        b = cluster.start("b", "2,3");
        a.awaitOwned(0, 1);
        b.awaitOwned(2, 3);
        cluster.awaitSeen();
    }

    // ---- who serves what

    @Test
    void eachNodeServesItsShardsAndNamesTheNodeThatHasAnother() throws Exception {
        await().until(a::elsewhere, List.of(2, 3)::equals);
        await().until(b::elsewhere, List.of(0, 1)::equals);
        TestCluster.send(a, "of.a", "1");
        TestCluster.send(b, "of.b", "2");
        assertThat(a.shardOf("of.a")).isLessThan(2);
        assertThat(b.shardOf("of.b")).isGreaterThanOrEqualTo(2);

        TestCluster.send(a, "of.b", "3"); // passed on
        assertThat(TestCluster.receive(b, "of.a")).isEqualTo("1");
        assertThat(TestCluster.receive(b, "of.b")).isEqualTo("2");
        assertThat(TestCluster.receive(a, "of.b")).isEqualTo("3");
        assertThat(a.status().state().text()).contains("; shard 2 is at node '").contains(b.url());
        assertThat(a.status().shards()).noneMatch(ShardStatus::isMissed);

        Administrator.of(b, "").delete("/addresses/of.b");
        await().until(() -> a.shard().lookup().find("of.b") == null);
        TestCluster.send(a, "of.b", "again");
        assertThat(a.shardOf("of.b")).as("made anew where it was asked for").isLessThan(2);
    }

    @Test
    void aNameIsMadeOnceWhoeverAsksFirst() throws Exception {
        List<CompletableFuture<?>> asked = new ArrayList<>();
        int names = 40;
        for (int i = 0; i < names; i++) {
            for (TestBroker node : List.of(a, b)) {
                asked.add(node.shard()
                        .catalog()
                        .ensure("name." + i, AddressKind.QUEUE)
                        .handle((made, failure) -> failure == null ? made : null)
                        .toCompletableFuture());
            }
        }
        asked.forEach(CompletableFuture::join);
        for (int i = 0; i < names; i++) {
            boolean isOfA = asked.get(2 * i).join() != null;
            boolean isOfB = asked.get(2 * i + 1).join() != null;
            assertThat(isOfA).as("name." + i).isNotEqualTo(isOfB);
        }
        assertThat(cluster.ask("SELECT count(*) FROM ringtable.address WHERE name LIKE 'name.%'"))
                .isEqualTo(String.valueOf(names));
        assertThat(cluster.ask("SELECT count(*) FROM ringtable.home WHERE name LIKE 'name.%'"))
                .isEqualTo(String.valueOf(names));
    }

    // ---- addresses with parts

    @Test
    void eachNodeMakesAndServesThePartsOfItsShards() throws Exception {
        TestCluster.send(a, "wide.queue", "of a");
        await().until(
                        () -> cluster.ask("SELECT count(*) FROM ringtable.address WHERE name = 'wide.queue'"),
                        "4"::equals);
        assertThat(partsServed(a, "wide.queue")).containsExactly(0, 1);
        assertThat(partsServed(b, "wide.queue")).containsExactly(2, 3);

        TestCluster.send(b, "wide.queue", "of b");
        assertThat(TestCluster.receive(b, "wide.queue")).isEqualTo("of b");
        assertThat(TestCluster.receive(a, "wide.queue")).isEqualTo("of a");

        cluster.stop("b");
        b = cluster.start("b", "2,3");
        b.awaitOwned(2, 3);
        assertThat(partsServed(b, "wide.queue")).containsExactly(2, 3);
        TestCluster.send(b, "wide.queue", "of b again");
        assertThat(TestCluster.receive(b, "wide.queue")).isEqualTo("of b again");

        cluster.awaitSeen();
        Administrator.of(a, "").delete("/addresses/wide.queue");
        assertThat(cluster.ask("SELECT count(*) FROM ringtable.address WHERE name = 'wide.queue'"))
                .isEqualTo("0");
    }

    /** The shards of the parts that a node serves. */
    private static List<Integer> partsServed(TestBroker node, String queue) {
        return node.shard().partsOf(node.shard().lookup().find(queue)).all().stream()
                .filter(part -> node.shard().refusalFor(part) == null)
                .map(part -> ShardIds.shardOf(part.id()))
                .toList();
    }

    // ---- names that belong elsewhere

    /** Clients of both nodes name the first addresses of each affinity at the same moment. */
    @Test
    void anAffinityThatTwoNodesBeginAtOnceHasOneHome() throws Exception {
        try (JMSContext atA = a.jms().createContext();
                JMSContext atB = b.jms().createContext()) {
            for (int i = 0; i < PAIRS; i++) {
                String name = "pair." + i;
                CompletableFuture<?> one = CompletableFuture.runAsync(
                        () -> atA.createProducer().send(atA.createQueue(name + ".one"), "1"));
                CompletableFuture<?> two = CompletableFuture.runAsync(
                        () -> atB.createProducer().send(atB.createQueue(name + ".two"), "2"));
                one.get();
                two.get();
            }
        }
        assertThat(cluster.ask("SELECT count(*) FROM ringtable.address WHERE name LIKE 'pair.%'"))
                .isEqualTo(String.valueOf(2 * PAIRS));
        assertThat(cluster.ask("SELECT count(DISTINCT (split_part(name, '.', 2), shard_id)) FROM ringtable.address"
                        + " WHERE name LIKE 'pair.%'"))
                .as("an affinity has one home")
                .isEqualTo(String.valueOf(PAIRS));
    }

    @Test
    void anAffinityAndADurableSubscriptionLiveInOneNode() throws Exception {
        TestCluster.send(a, "twins.one", "1");
        await().until(() -> b.shard().lookup().find("twins.one") != null);
        TestCluster.send(b, "twins.two", "2"); // made there
        assertThat(a.shardOf("twins.two")).isEqualTo(a.shardOf("twins.one"));
        try (JMSContext context = b.jms().createContext()) {
            JMSConsumer consumer = context.createConsumer(context.createQueue("twins.three"));
            assertThat(a.shardOf("twins.three")).isEqualTo(a.shardOf("twins.one"));
            TestCluster.send(a, "twins.three", "3");
            assertThat(consumer.receiveBody(String.class, WAIT_MS)).isEqualTo("3");
        }
        try (Connection connection = b.jms().createConnection()) {
            Session session = connection.createSession();
            session.createProducer(null).send(session.createQueue("twins.four"), session.createTextMessage("4"));
        }
        assertThat(a.shardOf("twins.four")).isEqualTo(a.shardOf("twins.one"));
        assertThat(TestCluster.receive(b, "twins.four")).isEqualTo("4");

        try (JMSContext atA = a.jms().createContext();
                JMSContext atB = b.jms().createContext()) {
            atA.setClientID("client");
            atB.setClientID("client");
            atA.createDurableConsumer(atA.createTopic("news.a"), "audit").close();
            atB.createDurableConsumer(atB.createTopic("news.b"), "audit").close(); // deleted there, and made here
            await().until(() -> a.shard().lookup().find("client", "audit") == null);
            atA.createDurableConsumer(atA.createTopic("news.a"), "audit").close();
            atB.unsubscribe("audit"); // passed on
            await().until(() -> b.shard().refusalFor("client", "audit") == null);
            atB.createDurableConsumer(atB.createTopic("news.b"), "audit").close();
        }
    }
}
