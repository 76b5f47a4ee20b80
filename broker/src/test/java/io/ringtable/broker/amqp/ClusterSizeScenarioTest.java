package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.config.StoreProperties;
import io.ringtable.broker.status.BrokerState.Phase;
import io.ringtable.broker.status.ShardStatus;
import io.ringtable.broker.store.postgresql.DatabaseDoor;
import io.ringtable.broker.store.postgresql.PostgresqlTestDatabase;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSProducer;
import jakarta.jms.Message;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** Nodes of one database of PostgreSQL agree on how many shards there are, whatever each of them was told (ADR 69). */
@Timeout(300)
class ClusterSizeScenarioTest {
    private static final String LOAD = "load";
    private static final String DUPLICATES = "ringtable.dispatch.addresses[0].duplicate-id";
    private static final String PARTS = "ringtable.dispatch.addresses[0].parts";
    private static final long WAIT_MS = 60_000;

    private final ExecutorService executor = Executors.newFixedThreadPool(2);

    private TestCluster nodes; // null = the engine is absent
    private PostgresqlTestDatabase other; // null = the nodes have one

    @BeforeEach
    void makeDatabase() throws Exception {
        nodes = TestCluster.onEmptyDatabase(
                TestSettings.of("ringtable.lease", "2s", "ringtable.cluster.enabled", true));
    }

    @AfterEach
    void stop() throws Exception {
        executor.shutdownNow();
        if (nodes != null) {
            nodes.close();
        }
        if (other != null) {
            other.close();
        }
    }

    private TestBroker start(String name, int shards, Object... more) {
        return nodes.start(name, nodes.settings.with("ringtable.shards", shards).with(more));
    }

    private static void awaitOwned(TestBroker node, int shards) {
        await().until(() -> owned(node), IntStream.range(0, shards).boxed().toList()::equals);
    }

    private static List<Integer> owned(TestBroker node) {
        return node.status().shards().stream()
                .filter(ShardStatus::isActive)
                .map(ShardStatus::number)
                .toList();
    }

    private String agreed() throws Exception {
        return nodes.ask("SELECT shard_id FROM ringtable.home WHERE scope = 'shards' AND name = 'all'");
    }

    /**
     * Two nodes with two shards each get two more, one node after the other, while clients publish and receive. The
     * last shard lies in another database, which is new. A third node is cut off in between.
     */
    @Test
    void shardsAreAddedNodeByNodeUnderLoad() throws Exception {
        Object[] two = {"ringtable.dispatch.addresses[0].match", LOAD, DUPLICATES, "message-id"};
        TestBroker[] ab = {start("a", 2, two), start("b", 2, two)};
        await().until(() -> owned(ab[0]).size() == 1 && owned(ab[1]).size() == 1);
        other = new PostgresqlTestDatabase();
        DatabaseDoor toC = nodes.door("c");
        try (DatabaseDoor toA = new DatabaseDoor(() -> portOf(ab[0]));
                DatabaseDoor toB = new DatabaseDoor(() -> portOf(ab[1]));
                Load load = new Load(toA.port(), toB.port())) {
            load.awaitMore();
            Object[] four = four(two);

            nodes.stop("b");
            toB.shut(); // it may have taken clients meanwhile
            ab[1] = start("b", 4, four);
            toB.open();
            await().until(() -> owned(ab[0]).size() == 1 && owned(ab[1]).size() == 1); // a shard was handed over
            TestBroker c = start("c", 4, four);
            load.awaitMore();
            assertNotBegun(ab[1]);
            toC.shut();

            nodes.stop("a");
            toA.shut();
            ab[0] = start("a", 4, four);
            toA.open();
            await().until(() -> owned(ab[0]).size() == 2 && owned(ab[1]).size() == 2);
            assertThat(agreed()).isEqualTo("4");
            toC.open();
            await().until(() -> !owned(c).isEmpty());
            load.awaitMore();
            assertThatThrownBy(() -> start("old", 2, two))
                    .isInstanceOf(ConfigurationRefused.class)
                    .hasMessageStartingWith("RT-1222 ringtable.shards=2, and the store has shard 3");
            try (JMSContext context = ab[1].jms().createContext()) {
                context.createProducer().send(context.createQueue("wide.named"), "text");
                assertThat(context.createConsumer(context.createQueue("wide.named"))
                                .receiveBody(String.class, WAIT_MS))
                        .isEqualTo("text");
            }
            for (String wide : List.of("wide.named", "wide.declared")) {
                await().until(
                                () -> nodes.ask("SELECT count(*) FROM ringtable.home WHERE name = '" + wide + "'"),
                                "4"::equals);
            }
            load.assertAccounted();
            assertThat(other.ask("SELECT string_agg(shard_id::text, ',') FROM ringtable.shard"))
                    .isEqualTo("3");
            nodes.stopAll();
        }
    }

    /** Returns a port on which nobody listens while the broker does not. */
    private static int portOf(TestBroker node) {
        return Math.max(1, node.port());
    }

    /** Looks at a node with four shards among others that know two. */
    private void assertNotBegun(TestBroker node) throws Exception {
        assertThat(agreed()).isEqualTo("2");
        assertThat(nodes.ask("SELECT max(shard_id) FROM ringtable.shard")).isEqualTo("1");
        assertThat(node.status().shards()).noneMatch(ShardStatus::isMissed);
        assertThat(node.status().shards()).extracting(ShardStatus::hasBegun).containsExactly(true, true, false, false);
        Administrator administrator = Administrator.of(node, "");
        JsonNode last = administrator.get("/shards").get("items").get(3);
        assertThat(last.get("state").asString()).isEqualTo("NOT_BEGUN");
        assertThat(last.get("reason").asString())
                .startsWith("the cluster has 2 shards, and this node knows 4. The others begin once these nodes know")
                .contains("raise ringtable.shards there");
        assertThat(administrator.get("/nodes").get("items").findValues("knows"))
                .extracting(JsonNode::asInt)
                .containsExactlyInAnyOrder(2, 4, 4);
        administrator.refused(404, "RT-4606", "POST", "/shards/2/move", "{'node': 'c'}");
        try (JMSContext context = node.jms().createContext()) {
            assertThatThrownBy(() -> context.createProducer().send(context.createQueue("wide.named"), "text"))
                    .hasMessageContaining("RT-1233 'wide.named' is to have 4 parts, and the cluster has 2 shards");
            context.createProducer().send(context.createQueue("narrow"), "text"); // a new name, meanwhile
        }
    }

    private Object[] four(Object... more) {
        StoreProperties its = other.settings().properties();
        Object[] own = {
            "ringtable.stores[0].name",
            "other",
            "ringtable.stores[0].url",
            its.url(),
            "ringtable.stores[0].username",
            its.username(),
            "ringtable.stores[0].password",
            its.password(),
            "ringtable.stores[0].shards",
            3,
            "ringtable.dispatch.addresses[1].match",
            "wide.#",
            "ringtable.dispatch.addresses[1].parts",
            4,
            "ringtable.queues",
            "wide.declared"
        };
        return Stream.of(more, own).flatMap(Stream::of).toArray();
    }

    /** Publishes numbered texts, and receives them, by clients that fail over between two ports. */
    private static final class Load implements AutoCloseable {
        private static final int UNDER_WAY = 10;
        private static final long RECEIVE_MS = 500;

        private final JmsConnectionFactory factory;
        private final Semaphore free = new Semaphore(UNDER_WAY);
        private final AtomicInteger sent = new AtomicInteger();
        private final Set<String> received = ConcurrentHashMap.newKeySet();
        private final Set<String> doubled = ConcurrentHashMap.newKeySet();
        private final ExecutorService clients = Executors.newFixedThreadPool(2);
        private final CompletableFuture<Void> publisher;
        private final CompletableFuture<Void> consumer;
        private volatile boolean isOver;

        Load(int... ports) {
            factory = new JmsConnectionFactory(IntStream.of(ports)
                    .mapToObj(port -> "amqp://127.0.0.1:" + port)
                    .collect(Collectors.joining(",", "failover:(", ")?failover.maxReconnectDelay=500")));
            publisher = CompletableFuture.runAsync(this::publish, clients);
            consumer = CompletableFuture.runAsync(this::receive, clients);
        }

        private void publish() {
            try (JMSContext context = factory.createContext()) {
                JMSProducer producer = context.createProducer();
                while (!isOver) {
                    free.acquireUninterruptibly();
                    producer.send(context.createQueue(LOAD), "message " + sent.get());
                    sent.incrementAndGet();
                }
            }
        }

        private void receive() {
            try (JMSContext context = factory.createContext()) {
                JMSConsumer from = context.createConsumer(context.createQueue(LOAD));
                while (!publisher.isDone() || received.size() < sent.get()) {
                    Message message = from.receive(RECEIVE_MS);
                    String text = message == null ? null : message.getBody(String.class);
                    if (text == null) {
                        continue;
                    }
                    if (received.add(text)) {
                        free.release();
                    } else if (!message.getJMSRedelivered()) {
                        doubled.add(text);
                    }
                }
            } catch (JMSException failure) {
                throw new IllegalStateException(failure);
            }
        }

        void awaitMore() {
            int before = received.size();
            await().until(() -> received.size() > before + 200);
        }

        void assertAccounted() throws Exception {
            isOver = true;
            publisher.get(WAIT_MS, TimeUnit.MILLISECONDS);
            await().untilAsserted(() -> assertThat(received).hasSize(sent.get()));
            consumer.get(WAIT_MS, TimeUnit.MILLISECONDS);
            assertThat(doubled).isEmpty();
        }

        @Override
        public void close() {
            isOver = true;
            clients.shutdownNow();
        }
    }

    @Test
    void aNodeThatKnowsMoreBeginsOnceTheOneOfASingleShardHasStoppedAndOneThatKnowsFewerIsRefused() throws Exception {
        TestBroker single = start("single", 1);
        awaitOwned(single, 1);
        try (JMSContext context = single.jms().createContext()) {
            context.createProducer().send(context.createQueue("served.on"), "text");
        }
        TestBroker larger = start("larger", 3);
        assertThat(larger.status().state().phase()).isEqualTo(Phase.STANDBY);
        assertThat(larger.status().state().text()).contains("RT-1229 ringtable.shards=3, and node '");

        nodes.stop("single");
        awaitOwned(larger, 3);
        assertThat(agreed()).isEqualTo("3");
        assertThatThrownBy(() -> start("a", 2))
                .isInstanceOf(ConfigurationRefused.class)
                .hasMessageStartingWith("RT-1222 ringtable.shards=2, and the store has shard 2");
        try (JMSContext context = larger.jms().createContext()) {
            assertThat(context.createConsumer(context.createQueue("served.on")).receiveBody(String.class, 60_000))
                    .isEqualTo("text");
        }
    }

    @Test
    void twoNodesThatBeginAtOnceWithDifferentNumbersAgreeOnTheLowerOneOrOneIsRefused() throws Exception {
        agreedByTwo(2, 3);
        nodes.stopAll();
        agreedByTwo(4, 5);
    }

    /** Starts two nodes at once. The one with the lower number may come too late; then the other one counts. */
    private void agreedByTwo(int lower, int higher) throws Exception {
        List<CompletableFuture<TestBroker>> started = List.of(startLater(lower), startLater(higher));
        TestBroker large = started.get(1).get();
        int agreed = lower;
        try {
            TestBroker small = started.get(0).get();
            await().until(() -> owned(small).size() + owned(large).size() == lower);
        } catch (ExecutionException refused) {
            assertThat(refused.getCause())
                    .isInstanceOf(ConfigurationRefused.class)
                    .message()
                    .startsWith("RT-1222 ");
            agreed = higher;
            awaitOwned(large, higher);
        }
        assertThat(agreed()).isEqualTo(String.valueOf(agreed));
        assertThat(nodes.ask("SELECT count(*) FROM ringtable.shard")).isEqualTo(String.valueOf(agreed));
    }

    private CompletableFuture<TestBroker> startLater(int shards) {
        return CompletableFuture.supplyAsync(() -> start("with-" + shards, shards), executor);
    }

    @Test
    void aNodeThatWasTakenForDeadEndsIfTheOthersHaveBegunWithMore() throws Exception {
        DatabaseDoor door = nodes.door("lost");
        TestBroker lost = start("lost", 2);
        awaitOwned(lost, 2);
        door.shut();
        await().until(() -> !lost.status().state().isActive());
        TestBroker more = start("more", 3, "ringtable.dispatch.addresses[0].match", "wide", PARTS, 3);
        awaitOwned(more, 3); // once the lease of the other one is over
        TestCluster.send(more, "wide", "text"); // to a name in a shard that the other one does not know
        door.open();
        await().until(() -> lost.status().state().phase() == Phase.FAILED);
        assertThat(lost.status().state().text()).contains("RT-1222 ringtable.shards=2, and ");
    }
}
