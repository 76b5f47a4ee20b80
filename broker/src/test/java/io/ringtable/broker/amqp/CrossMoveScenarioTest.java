package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.store.postgresql.DatabaseDoor;
import jakarta.jms.Connection;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** Addresses move between shards of different nodes (ADR 87). */
@Timeout(300)
class CrossMoveScenarioTest {
    private static final int SHARDS = 3;
    private static final long WAIT_MS = 60_000;
    private static final List<String> NODES = List.of("a", "b", "c");

    private TestCluster cluster;
    private final Map<String, DatabaseDoor> doors = new ConcurrentSkipListMap<>(); // of each node to the database
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicBoolean enough = new AtomicBoolean();

    /** Starts three nodes, and waits until each has one shard. @param may which shards each may take; "" = any */
    private void start(String... may) throws Exception {
        cluster = new TestCluster(TestCluster.settings(SHARDS, "2s"));
        for (int i = 0; i < NODES.size(); i++) {
            doors.put(NODES.get(i), cluster.door(NODES.get(i)));
            cluster.start(NODES.get(i), may[i]);
        }
        cluster.awaitSeen();
        awaitEven();
    }

    @AfterEach
    void stop() {
        enough.set(true);
        threads.shutdownNow();
        cluster.close();
    }

    private void awaitEven() {
        await().until(() ->
                cluster.nodes().stream().allMatch(node -> node.owned().size() == 1)
                        && handoversUnderWay().equals("0"));
    }

    private String handoversUnderWay() throws Exception {
        return cluster.ask("SELECT count(*) FROM ringtable.home WHERE scope = 'handover' AND owner NOT LIKE 'over|%'");
    }

    /** Returns a node by a shard that it has. */
    private String ownerOf(int shard) {
        return NODES.stream()
                .filter(name -> cluster.node(name).owned().contains(shard))
                .findFirst()
                .orElseThrow();
    }

    private Administrator at(String node) {
        return Administrator.of(cluster.node(node), "");
    }

    /** Makes an address in a shard, at the node that has it. */
    private void make(String name, String kind, int shard) {
        at(ownerOf(shard)).make("/addresses/" + name, "{'kind': '" + kind + "'}");
        assertThat(ShardIds.shardOf(
                        cluster.node(ownerOf(shard)).shard().lookup().find(name).id()))
                .isEqualTo(shard);
        cluster.awaitKnown(name, 1);
    }

    private void move(String asked, String name, int to) {
        long begun = System.nanoTime();
        at(asked).ask(202, "POST", "/addresses/" + name + "/move?shard=" + to, null);
        System.out.printf(
                "%s goes to shard %d after %d ms%n",
                name, to, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun));
    }

    private void awaitMoved(String asked, String name, int to) {
        await().untilAsserted(() -> {
            JsonNode shown = at(asked).get("/addresses/" + name);
            assertThat(shown.path("moving").isObject()).as(shown.toString()).isFalse();
            assertThat(shown.get("shards").toString()).isEqualTo("[" + to + "]");
        });
    }

    /** Publishes and consumes until the test has enough. */
    private final class Load {
        private final String name;
        private final boolean isTopic;
        private final Map<String, AtomicInteger> sent = new ConcurrentSkipListMap<>(); // by publisher
        private final Map<String, List<String>> got = new ConcurrentSkipListMap<>(); // by consumer
        private final Semaphore room = new Semaphore(200);
        private final AtomicInteger lost = new AtomicInteger(); // connections
        private final List<Future<?>> publishers = new ArrayList<>();
        private final List<Future<?>> consumers = new ArrayList<>();

        Load(String name, boolean isTopic) throws Exception {
            this.name = name;
            this.isTopic = isTopic;
            for (String node : isTopic ? NODES : List.of("b")) { // else no consumer alone sees the order
                got.put(node, Collections.synchronizedList(new ArrayList<>()));
                CompletableFuture<Void> attached = new CompletableFuture<>();
                consumers.add(threads.submit(() -> consume(node, attached)));
                attached.get(WAIT_MS, TimeUnit.MILLISECONDS);
            }
            for (String node : NODES) {
                sent.put(node, new AtomicInteger());
                publishers.add(threads.submit(() -> publish(node)));
            }
        }

        private Destination destination(Session session) throws JMSException {
            return isTopic ? session.createTopic(name) : session.createQueue(name);
        }

        private Void publish(String node) throws Exception {
            AtomicInteger count = sent.get(node);
            try (Connection connection =
                    cluster.node(node).jms("jms.forceSyncSend=true").createConnection()) {
                Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
                MessageProducer producer = session.createProducer(destination(session));
                while (!enough.get()) {
                    room.acquire();
                    producer.send(session.createTextMessage(node + " " + count.get()));
                    count.incrementAndGet();
                }
            }
            return null;
        }

        private Void consume(String node, CompletableFuture<Void> attached) throws Exception {
            List<String> texts = got.get(node);
            while (true) {
                try (Connection connection = cluster.node(node).jms().createConnection()) {
                    connection.setClientID("reader-" + name + node);
                    Session session = connection.createSession(false, Session.CLIENT_ACKNOWLEDGE);
                    MessageConsumer consumer = isTopic
                            ? session.createDurableConsumer(session.createTopic(name), "s")
                            : session.createConsumer(destination(session));
                    connection.start();
                    attached.complete(null);
                    while (true) {
                        TextMessage message = (TextMessage) consumer.receive(100);
                        if (message == null
                                && publishers.size() == NODES.size()
                                && publishers.stream().allMatch(Future::isDone)
                                && texts.size() >= all()) {
                            assertThat(consumer.receiveNoWait()).isNull();
                            return null;
                        }
                        if (message != null) {
                            String text = message.getText();
                            if (!message.getJMSRedelivered() || !texts.contains(text)) {
                                texts.add(text);
                            }
                            message.acknowledge();
                            if (got.keySet().iterator().next().equals(node)) {
                                room.release();
                            }
                        }
                    }
                } catch (JMSException e) {
                    System.out.println("consumer at " + node + " of " + name + ": " + e);
                    lost.incrementAndGet();
                }
            }
        }

        private int all() {
            return sent.values().stream().mapToInt(AtomicInteger::get).sum();
        }

        void awaitMore() {
            int before = all();
            await().until(() -> {
                for (Future<?> each : publishers) {
                    if (each.isDone()) {
                        each.get();
                    }
                }
                return all() > before + 200;
            });
        }

        void finish() throws Exception {
            room.release(1_000);
            for (Future<?> each : publishers) {
                each.get(WAIT_MS, TimeUnit.MILLISECONDS);
            }
            for (Future<?> each : consumers) {
                each.get(WAIT_MS, TimeUnit.MILLISECONDS);
            }
            got.forEach((consumer, texts) -> sent.forEach((publisher, count) -> assertThat(texts.stream()
                            .filter(text -> text.startsWith(publisher + " "))
                            .toList())
                    .as("of " + publisher + " at " + consumer)
                    .isEqualTo(IntStream.range(0, count.get())
                            .mapToObj(i -> publisher + " " + i)
                            .toList())));
            System.out.printf("%s: %d messages, %d connections lost%n", name, all(), lost.get());
        }
    }

    @Test
    void addressesMoveUnderLoadWhicheverNodesHaveTheShards() throws Exception {
        start("", "", "");
        make("busy", "QUEUE", 0);
        make("news", "TOPIC", 0);
        Load queue = new Load("busy", false);
        Load topic = new Load("news", true);
        for (int to : List.of(2, 0)) {
            for (String name : List.of("busy", "news")) {
                queue.awaitMore();
                topic.awaitMore();
                String asked = ownerOf(1);
                move(asked, name, to);
                awaitMoved(asked, name, to);
                awaitEven();
            }
        }
        queue.awaitMore();
        topic.awaitMore();
        enough.set(true);
        queue.finish();
        topic.finish();
    }

    @Test
    void oppositeMovesAtOnceBothEnd() throws Exception {
        start("", "", "");
        make("up", "QUEUE", 0);
        make("down", "QUEUE", 2);
        make("across", "QUEUE", 1);
        TestCluster.send(cluster.node("a"), "up", "u");
        TestCluster.send(cluster.node("b"), "down", "d");
        TestCluster.send(cluster.node("c"), "across", "x");
        List<Future<?>> moves = List.of(
                threads.submit(() -> move("a", "up", 2)),
                threads.submit(() -> move("b", "down", 0)),
                threads.submit(() -> move("c", "across", 2)));
        for (Future<?> each : moves) {
            each.get();
        }
        assertThat(TestCluster.receive(cluster.node("c"), "up")).isEqualTo("u");
        assertThat(TestCluster.receive(cluster.node("a"), "down")).isEqualTo("d");
        assertThat(TestCluster.receive(cluster.node("b"), "across")).isEqualTo("x");
        awaitMoved("a", "up", 2);
        awaitMoved("b", "down", 0);
        awaitMoved("c", "across", 2);
        awaitEven();
    }

    /** The node of the address may not have the next shard, so that shard's node brings the other one. */
    @Test
    void theOtherWayRoundIsTriedAndNodesThatMayNotSaySo() throws Exception {
        start("0", "1", "");
        make("bound", "QUEUE", 0);
        TestCluster.send(cluster.node("b"), "bound", "m");
        move("b", "bound", 2);
        assertThat(TestCluster.receive(cluster.node("b"), "bound")).isEqualTo("m");
        awaitMoved("b", "bound", 2);
        awaitEven();
        make("stays", "QUEUE", 0);
        assertThat(at("c").refused(409, "RT-4650", "POST", "/addresses/stays/move?shard=1", null))
                .contains("The other way round");
        assertThat(handoversUnderWay()).isEqualTo("0");
    }

    /** The giver loses its database while its shard is on its way. */
    @Test
    void aLostGiverHoldsNothingUp() throws Exception {
        start("", "", "");
        make("kept", "QUEUE", 0);
        String giver = ownerOf(2);
        TestCluster.send(cluster.node(ownerOf(1)), "kept", "m");
        String asked = ownerOf(1);
        Future<?> moving = threads.submit(() -> move(asked, "kept", 2));
        await().until(() -> !handoversUnderWay().equals("0"));
        doors.get(giver).fallSilent();
        moving.get();
        assertThat(TestCluster.receive(cluster.node(asked), "kept")).isEqualTo("m");
        awaitMoved(asked, "kept", 2);
        await().until(() -> handoversUnderWay().equals("0"));
    }
}
