package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.store.postgresql.DatabaseDoor;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSRuntimeException;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nodes of a cluster stop, are cut off, join and give shards to each other: all shards have one owner again. */
@Timeout(300)
class ClusterNodesScenarioTest {
    private static final int SHARDS = 4;
    private static final long WAIT_MS = 60_000;
    /** Asks whether no handover is under way. */
    private static final String HANDOVER = "SELECT owner LIKE 'over|%' FROM ringtable.home WHERE scope = 'handover'";

    private static final String LEASE = "ringtable.lease";
    private static final String EPOCH = "SELECT epoch FROM ringtable.shard WHERE shard_id = 3";

    @AutoClose
    private TestCluster cluster;

    private final ExecutorService executor = Executors.newFixedThreadPool(SHARDS);
    private final AtomicInteger sequence = new AtomicInteger(); // of messages

    @BeforeEach
    void makeDatabase() throws Exception {
        cluster = new TestCluster(TestCluster.settings(SHARDS, "2s"));
    }

    @AfterEach
    void stop() {
        executor.shutdownNow();
    }

    // ---- nodes that go

    @Test
    void othersTakeTheShardsOfANodeThatStopsAndServeWhatItStored() throws Exception {
        TestBroker a = cluster.start("a", "");
        a.awaitOwned(0, 1, 2, 3);
        IntStream.range(0, SHARDS).forEach(i -> TestCluster.send(a, "queue." + i, "text " + i));
        assertThat(IntStream.range(0, SHARDS)
                        .mapToObj(i -> a.shardOf("queue." + i))
                        .collect(Collectors.toSet()))
                .hasSize(SHARDS);
        TestBroker b = cluster.start("b", "");

        cluster.stop("a");
        b.awaitOwned(0, 1, 2, 3);
        IntStream.range(0, SHARDS)
                .forEach(i -> assertThat(TestCluster.receive(b, "queue." + i)).isEqualTo("text " + i));
    }

    @Test
    void othersTakeTheShardsOfANodeThatIsCutOff() throws Exception {
        DatabaseDoor ofA = cluster.door("a");
        TestBroker a = cluster.start("a", "0,1");
        TestBroker b = cluster.start("b", "");
        b.awaitOwned(2, 3);
        TestCluster.send(a, "of.a", "1");
        TestCluster.send(b, "of.b", "2");
        int shard = a.shardOf("of.a");
        await().until(b::elsewhere, List.of(0, 1)::equals);

        try (JMSContext stays = b.jms().createContext()) {
            ofA.shut();
            b.awaitOwned(0, 1, 2, 3);
            assertThat(stays.createConsumer(stays.createQueue("of.b")).receiveBody(String.class, WAIT_MS))
                    .isEqualTo("2");
            assertThat(stays.createConsumer(stays.createQueue("of.a")).receiveBody(String.class, WAIT_MS))
                    .isEqualTo("1");
        }
        await().until(() -> !a.status().state().isActive());
        assertThat(b.shardOf("of.a")).isEqualTo(shard);

        ofA.open();
        await().until(() -> a.owned().size() == 2 && b.owned().size() == 2); // b gives back what a may have
        assertThat(a.owned()).containsExactly(0, 1);
    }

    // ---- handovers

    /** Publishers of four queues, one in each shard, send to whichever node takes their messages. */
    @Test
    void aNodeThatJoinsGetsItsShareAndNothingIsLostUnderLoad() throws Exception {
        TestBroker a = cluster.start("a", "");
        a.awaitOwned(0, 1, 2, 3);
        List<String> queues =
                IntStream.range(0, SHARDS).mapToObj(i -> "queue." + i).toList();
        queues.forEach(queue -> TestCluster.send(a, queue, "first"));
        AtomicBoolean isOver = new AtomicBoolean();
        List<CompletableFuture<Sent>> publishers = queues.stream()
                .map(queue -> CompletableFuture.supplyAsync(() -> publish(queue, isOver), executor))
                .toList();

        TestBroker b = cluster.start("b", "");
        await().until(() -> a.owned().size() == 2 && b.owned().size() == 2);
        int before = sequence.get();
        await().until(() -> sequence.get() > before + 200);
        isOver.set(true);

        assertThat(a.owned()).doesNotContainAnyElementsOf(b.owned()).contains(0);
        for (int i = 0; i < SHARDS; i++) {
            String queue = queues.get(i);
            Sent sent = publishers.get(i).join();
            List<String> received = receiveAll(a.owned().contains(a.shardOf(queue)) ? a : b, queue);
            assertThat(received).containsAll(sent.accepted()).contains("first");
            List<String> twice = new ArrayList<>(received);
            new TreeSet<>(received).forEach(twice::remove);
            assertThat(sent.uncertain()).containsAll(twice);
        }
        assertThat(cluster.ask(HANDOVER)).isEqualTo("t");
    }

    /** Holds the texts that had an outcome, and those that were sent again, as their connection ended without one. */
    private record Sent(List<String> accepted, List<String> uncertain) {}

    private Sent publish(String queue, AtomicBoolean isOver) {
        Sent sent = new Sent(new ArrayList<>(), new ArrayList<>());
        String text = null;
        while (!isOver.get()) {
            for (TestBroker node : cluster.nodes()) {
                if (node.port() < 0) {
                    continue;
                }
                try (JMSContext context = node.jms().createContext()) {
                    var producer = context.createProducer();
                    while (!isOver.get()) {
                        text = text == null ? "message " + sequence.incrementAndGet() : text;
                        producer.send(context.createQueue(queue), text);
                        sent.accepted().add(text);
                        text = null;
                    }
                } catch (JMSRuntimeException elsewhere) {
                    if (text != null) {
                        sent.uncertain().add(text);
                    }
                }
            }
        }
        return sent;
    }

    /** Receives all up to a message that is sent now, behind which nothing comes. */
    private static List<String> receiveAll(TestBroker node, String queue) {
        List<String> all = new ArrayList<>();
        TestCluster.send(node, queue, "last");
        try (JMSContext context = node.jms().createContext()) {
            var consumer = context.createConsumer(context.createQueue(queue));
            for (String text; !(text = consumer.receiveBody(String.class, WAIT_MS)).equals("last"); ) {
                all.add(text);
            }
            assertThat(consumer.receiveNoWait()).isNull();
        }
        return all;
    }

    @Test
    void anAdministratorMovesAShardFromAnyNode() throws Exception {
        TestBroker a = cluster.start("a", "0,3"); // no two nodes differ by two, before the move and after it
        a.awaitOwned(0, 3);
        TestBroker b = cluster.start("b", "1,3");
        TestBroker c = cluster.start("c", "2");
        b.awaitOwned(1);
        c.awaitOwned(2);
        TestCluster.send(a, "of.a", "1");
        cluster.awaitSeen();
        String nodeB = b.id();
        Administrator atA = Administrator.of(a, "");

        atA.refused(404, "RT-4603", "POST", "/shards/3/move", "{'node': 'nobody'}");
        Administrator.of(b, "").refused(409, "RT-4604", "POST", "/shards/2/move", "{'node': '" + c.id() + "'}");
        atA.refused(404, "RT-4606", "POST", "/shards/9/move", "{'node': '" + nodeB + "'}");
        Administrator.of(b, "").ask(202, "POST", "/shards/3/move", "{'node': '" + nodeB + "'}");
        b.awaitOwned(1, 3);
        a.awaitOwned(0);
        List<String> urls = List.of(a.url(), b.url(), c.url(), b.url());
        for (TestBroker node : List.of(a, b, c)) {
            await().until(() -> nodesOf(node), urls::equals);
        }
    }

    /** The node stops for as long as a transfer has no outcome. Nobody waits for it to take what it is offered. */
    @Test
    void aNodeThatStopsIsGivenNoShard() throws Exception {
        TestBroker a = cluster.start("a", "0,3", LEASE, "10s");
        a.awaitOwned(0, 3);
        TestBroker b = cluster.start("b", "1,2,3", LEASE, "10s");
        b.awaitOwned(1, 2);
        cluster.awaitSeen();
        String queue = QueuesOf.shard(b, 1, 1).get(0);
        String epoch = cluster.ask(EPOCH);
        long before = b.counters().messagesIn.sum();
        try (Connection other = cluster.database.connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("SELECT 1 FROM ringtable.shard WHERE shard_id = 1 FOR UPDATE"); // flushes wait for it
            CompletableFuture<Void> sent =
                    CompletableFuture.runAsync(() -> TestCluster.send(b, queue, "the last"), executor);
            await().until(() -> b.counters().messagesIn.sum() > before);
            CompletableFuture<Void> stopped = CompletableFuture.runAsync(() -> cluster.stop("b"), executor);
            await().until(() -> b.port() < 0);

            Administrator.of(a, "").ask(202, "POST", "/shards/3/move", "{'node': '" + b.id() + "'}");
            await().until(() -> cluster.ask(HANDOVER).equals("t"));
            assertThat(a.owned()).containsExactly(0, 3);
            assertThat(cluster.ask(EPOCH))
                    .as("the shard has never left its node")
                    .isEqualTo(epoch);
            other.rollback();
            stopped.get(WAIT_MS, TimeUnit.MILLISECONDS);
            sent.handle((done, failure) -> null).join(); // on a slow machine the stop does not wait for its outcome
        }
    }

    /** The URL of the node of each shard, as a node lists them. */
    private static List<String> nodesOf(TestBroker node) {
        List<String> urls = new ArrayList<>();
        Administrator.of(node, "")
                .get("/shards")
                .get("items")
                .forEach(item -> urls.add(item.path("url").asString("")));
        return urls;
    }
}
