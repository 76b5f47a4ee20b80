package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.status.BrokerState.Phase;
import io.ringtable.broker.status.NodesStatus;
import io.ringtable.broker.status.ShardStatus;
import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.store.postgresql.DatabaseDoor;
import io.ringtable.broker.store.postgresql.PostgresqlTestDatabase;
import io.ringtable.wire.ScramHash;
import io.ringtable.wire.ScramVerifier;
import jakarta.jms.Connection;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.Session;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Several nodes serve the shards of one database of PostgreSQL at the same time, each those that it owns (ADR 64).
 *
 * <p>Longer than others, because all tests share the nodes and the doors to their database.
 */
@Timeout(300)
class ClusterScenarioTest {
    private static final int SHARDS = 4;
    private static final long WAIT_MS = 60_000;
    private static final String PASSWORD = "secret";
    private static final String HASH = ScramVerifier.of(
                    ScramHash.SHA_512, PASSWORD, "0123456789abcdef".getBytes(StandardCharsets.US_ASCII), 4_096)
            .notation();

    @TempDir
    private Path directory;

    private final ExecutorService executor = Executors.newFixedThreadPool(SHARDS);
    private final AtomicInteger sequence = new AtomicInteger(); // of messages
    private PostgresqlTestDatabase database;
    private final Map<String, TestBroker> nodes = new ConcurrentSkipListMap<>();
    private final Map<String, DatabaseDoor> doors =
            new ConcurrentSkipListMap<>(); // the way of each node to the database

    @BeforeEach
    void makeDatabase() throws Exception {
        try {
            database = PostgresqlTestDatabase.migrated();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
    }

    @AfterEach
    void stop() throws Exception {
        executor.shutdownNow();
        for (TestBroker node : nodes.values()) {
            node.close();
        }
        for (DatabaseDoor door : doors.values()) {
            door.close();
        }
        if (database != null) {
            database.close();
        }
    }

    private TestBroker start(String name, String shards, Object... more) {
        DatabaseDoor door;
        try {
            door = new DatabaseDoor(database.settings());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        doors.put(name, door);
        StoreSettings store = TestSettings.of(
                        "ringtable.store.url", door.url(),
                        "ringtable.store.username",
                                database.settings().properties().username(),
                        "ringtable.store.password",
                                database.settings().properties().password())
                .store(directory.resolve(name));
        TestSettings settings = TestSettings.of(
                        "ringtable.shards",
                        SHARDS,
                        "ringtable.lease",
                        "2s",
                        "ringtable.cluster.enabled",
                        true,
                        "ringtable.cluster.shards",
                        shards)
                .with(more);
        TestBroker node = TestBroker.start(store, settings);
        nodes.put(name, node);
        return node;
    }

    private void close(String name) {
        nodes.remove(name).close();
    }

    // ---- what tests look at

    private static List<Integer> owned(TestBroker node) {
        return node.status().shards().stream()
                .filter(ShardStatus::isActive)
                .map(ShardStatus::number)
                .toList();
    }

    /** The shards of which a node says that another one, which it names, has them. */
    private static List<Integer> elsewhere(TestBroker node) {
        return node.status().shards().stream()
                .filter(ShardStatus::isElsewhere)
                .map(ShardStatus::number)
                .toList();
    }

    /** Until a node knows where clients reach another one, whose port was not known before it served. */
    private static void awaitKnown(TestBroker node, TestBroker other) {
        await().until(() -> node.status().shards().stream()
                .anyMatch(shard ->
                        shard.isElsewhere() && url(other).equals(shard.owner().url())));
    }

    private static void awaitOwned(TestBroker node, Integer... shards) {
        await().until(() -> owned(node), List.of(shards)::equals);
    }

    private static int shardOf(TestBroker node, String name) {
        return ShardIds.shardOf(node.shard().lookup().find(name).id());
    }

    private static String url(TestBroker node) {
        return "amqp://127.0.0.1:" + node.port();
    }

    private static void send(TestBroker node, String queue, String text) {
        try (JMSContext context = node.jms().createContext()) {
            context.createProducer().send(context.createQueue(queue), text);
        }
    }

    private static String receive(TestBroker node, String queue) {
        try (JMSContext context = node.jms().createContext()) {
            return context.createConsumer(context.createQueue(queue)).receiveBody(String.class, WAIT_MS);
        }
    }

    // ---- who serves what

    @Test
    void eachNodeServesItsShardsAndNamesTheNodeThatHasAnother() throws Exception {
        TestBroker a = start("a", "0,1");
        TestBroker b = start("b", "2,3");
        awaitOwned(a, 0, 1);
        awaitOwned(b, 2, 3);
        send(a, "of.a", "1");
        send(b, "of.b", "2");
        assertThat(shardOf(a, "of.a")).isLessThan(2);
        assertThat(shardOf(b, "of.b")).isGreaterThanOrEqualTo(2);
        await().until(() -> elsewhere(a), List.of(2, 3)::equals);
        await().until(() -> elsewhere(b), List.of(0, 1)::equals);
        awaitKnown(a, b);
        awaitKnown(b, a);

        send(a, "of.b", "3"); // passed on
        assertThat(receive(b, "of.a")).isEqualTo("1");
        assertThat(receive(b, "of.b")).isEqualTo("2");
        assertThat(receive(a, "of.b")).isEqualTo("3");
        assertThat(a.status().state().text()).contains("; shard 2 is at node '").contains(url(b));
        assertThat(a.status().shards()).noneMatch(ShardStatus::isMissed);

        Administrator.of(b, "").delete("/addresses/of.b");
        await().until(() -> a.shard().lookup().find("of.b") == null);
        send(a, "of.b", "again");
        assertThat(shardOf(a, "of.b")).as("made anew where it was asked for").isLessThan(2);
    }

    @Test
    void aNameIsMadeOnceWhoeverAsksFirst() throws Exception {
        TestBroker a = start("a", "0,1");
        TestBroker b = start("b", "2,3");
        awaitOwned(b, 2, 3);
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
        assertThat(database.ask("SELECT count(*) FROM ringtable.address WHERE name LIKE 'name.%'"))
                .isEqualTo(String.valueOf(names));
        assertThat(database.ask("SELECT count(*) FROM ringtable.home WHERE name LIKE 'name.%'"))
                .isEqualTo(String.valueOf(names));
    }

    // ---- nodes that go

    @Test
    void othersTakeTheShardsOfANodeThatStopsAndServeWhatItStored() throws Exception {
        TestBroker a = start("a", "");
        awaitOwned(a, 0, 1, 2, 3);
        IntStream.range(0, SHARDS).forEach(i -> send(a, "queue." + i, "text " + i));
        assertThat(IntStream.range(0, SHARDS)
                        .mapToObj(i -> shardOf(a, "queue." + i))
                        .collect(Collectors.toSet()))
                .hasSize(SHARDS);
        TestBroker b = start("b", "");

        close("a");
        awaitOwned(b, 0, 1, 2, 3);
        IntStream.range(0, SHARDS)
                .forEach(i -> assertThat(receive(b, "queue." + i)).isEqualTo("text " + i));
    }

    @Test
    void othersTakeTheShardsOfANodeThatIsCutOff() throws Exception {
        TestBroker a = start("a", "0,1");
        TestBroker b = start("b", "");
        awaitOwned(b, 2, 3);
        send(a, "of.a", "1");
        send(b, "of.b", "2");
        int shard = shardOf(a, "of.a");
        await().until(() -> elsewhere(b), List.of(0, 1)::equals);

        try (JMSContext stays = b.jms().createContext()) {
            doors.get("a").shut();
            awaitOwned(b, 0, 1, 2, 3);
            assertThat(stays.createConsumer(stays.createQueue("of.b")).receiveBody(String.class, WAIT_MS))
                    .isEqualTo("2");
            assertThat(stays.createConsumer(stays.createQueue("of.a")).receiveBody(String.class, WAIT_MS))
                    .isEqualTo("1");
        }
        await().until(() -> !a.status().state().isActive());
        assertThat(shardOf(b, "of.a")).isEqualTo(shard);

        doors.get("a").open();
        await().until(() -> owned(a).size() == 2 && owned(b).size() == 2); // b gives back what a may have
        assertThat(owned(a)).containsExactly(0, 1);
    }

    // ---- handovers

    /** Publishers of four queues, one in each shard, send to whichever node takes their messages. */
    @Test
    void aNodeThatJoinsGetsItsShareAndNothingIsLostUnderLoad() throws Exception {
        TestBroker a = start("a", "");
        awaitOwned(a, 0, 1, 2, 3);
        List<String> queues =
                IntStream.range(0, SHARDS).mapToObj(i -> "queue." + i).toList();
        queues.forEach(queue -> send(a, queue, "first"));
        AtomicBoolean isOver = new AtomicBoolean();
        List<CompletableFuture<Sent>> publishers = queues.stream()
                .map(queue -> CompletableFuture.supplyAsync(() -> publish(queue, isOver), executor))
                .toList();

        TestBroker b = start("b", "");
        await().until(() -> owned(a).size() == 2 && owned(b).size() == 2);
        int before = sequence.get();
        await().until(() -> sequence.get() > before + 200);
        isOver.set(true);

        assertThat(owned(a)).doesNotContainAnyElementsOf(owned(b)).contains(0);
        for (int i = 0; i < SHARDS; i++) {
            String queue = queues.get(i);
            Sent sent = publishers.get(i).join();
            List<String> received = receiveAll(owned(a).contains(shardOf(a, queue)) ? a : b, queue);
            assertThat(received).containsAll(sent.accepted()).contains("first");
            List<String> twice = new ArrayList<>(received);
            new TreeSet<>(received).forEach(twice::remove);
            assertThat(sent.uncertain()).containsAll(twice);
        }
        assertThat(database.ask("SELECT owner LIKE 'over|%' FROM ringtable.home WHERE scope = 'handover'"))
                .isEqualTo("t");
    }

    /** Holds the texts that had an outcome, and those that were sent again, as their connection ended without one. */
    private record Sent(List<String> accepted, List<String> uncertain) {}

    private Sent publish(String queue, AtomicBoolean isOver) {
        Sent sent = new Sent(new ArrayList<>(), new ArrayList<>());
        String text = null;
        while (!isOver.get()) {
            for (TestBroker node : List.copyOf(nodes.values())) {
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

    private static List<String> receiveAll(TestBroker node, String queue) {
        List<String> all = new ArrayList<>();
        try (JMSContext context = node.jms().createContext()) {
            var consumer = context.createConsumer(context.createQueue(queue));
            for (String text; (text = consumer.receiveBody(String.class, all.isEmpty() ? WAIT_MS : 2_000)) != null; ) {
                all.add(text);
            }
        }
        return all;
    }

    @Test
    void anAdministratorMovesAShardFromAnyNode() throws Exception {
        TestBroker a = start("a", "0,3"); // no two nodes differ by two, before the move and after it
        awaitOwned(a, 0, 3);
        TestBroker b = start("b", "1,3");
        TestBroker c = start("c", "2");
        awaitOwned(b, 1);
        awaitOwned(c, 2);
        send(a, "of.a", "1");
        for (TestBroker node : List.of(a, b, c)) {
            await().until(() -> node.status().nodes().nodes().stream()
                    .allMatch(each -> each.state().equals(Phase.ACTIVE.name())));
        }
        String nodeB = nodeId(b);
        Administrator atA = Administrator.of(a, "");

        atA.refused(404, "RT-4603", "POST", "/shards/3/move", "{'node': 'nobody'}");
        Administrator.of(b, "").refused(409, "RT-4604", "POST", "/shards/2/move", "{'node': '" + nodeId(c) + "'}");
        atA.refused(404, "RT-4606", "POST", "/shards/9/move", "{'node': '" + nodeB + "'}");
        Administrator.of(b, "").ask(202, "POST", "/shards/3/move", "{'node': '" + nodeB + "'}");
        awaitOwned(b, 1, 3);
        awaitOwned(a, 0);
        List<String> urls = List.of(url(a), url(b), url(c), url(b));
        for (TestBroker node : List.of(a, b, c)) {
            await().until(() -> nodesOf(node), urls::equals);
        }
    }

    private static String nodeId(TestBroker node) {
        return node.status().nodes().nodes().stream()
                .filter(NodesStatus.Node::self)
                .findFirst()
                .orElseThrow()
                .id();
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

    // ---- addresses with parts

    @Test
    void eachNodeMakesAndServesThePartsOfItsShards() throws Exception {
        Object[] wide = {
            "ringtable.dispatch.addresses[0].match", "wide.#", "ringtable.dispatch.addresses[0].parts", SHARDS
        };
        TestBroker a = start("a", "0,1", wide);
        TestBroker b = start("b", "2,3", wide);
        awaitOwned(a, 0, 1);
        awaitOwned(b, 2, 3);
        await().until(() -> elsewhere(a).size() == 2 && elsewhere(b).size() == 2);
        send(a, "wide.queue", "of a");
        await().until(
                        () -> database.ask("SELECT count(*) FROM ringtable.address WHERE name = 'wide.queue'"),
                        "4"::equals);
        assertThat(partsServed(a, "wide.queue")).containsExactly(0, 1);
        assertThat(partsServed(b, "wide.queue")).containsExactly(2, 3);

        send(b, "wide.queue", "of b");
        assertThat(receive(b, "wide.queue")).isEqualTo("of b");
        assertThat(receive(a, "wide.queue")).isEqualTo("of a");

        close("b");
        TestBroker c = start("c", "2,3", wide);
        awaitOwned(c, 2, 3);
        assertThat(partsServed(c, "wide.queue")).containsExactly(2, 3);
        send(c, "wide.queue", "of c");
        assertThat(receive(c, "wide.queue")).isEqualTo("of c");

        await().until(() -> elsewhere(a), List.of(2, 3)::equals);
        Administrator.of(a, "").delete("/addresses/wide.queue");
        assertThat(database.ask("SELECT count(*) FROM ringtable.address WHERE name = 'wide.queue'"))
                .isEqualTo("0");
    }

    /** The shards of the parts that a node serves. */
    private static List<Integer> partsServed(TestBroker node, String queue) {
        return node.shard().partsOf(node.shard().lookup().find(queue)).all().stream()
                .filter(part -> node.shard().refusalFor(part) == null)
                .map(part -> ShardIds.shardOf(part.id()))
                .toList();
    }

    // ---- configurations that cannot be

    @Test
    void aClusterNeedsADatabaseServerAndOneNumberOfShards() throws Exception {
        Object[] cluster = {"ringtable.shards", SHARDS, "ringtable.cluster.enabled", true};
        assertThatThrownBy(() -> TestBroker.start(directory.resolve("file"), TestSettings.of(cluster)))
                .isInstanceOf(ConfigurationRefused.class)
                .hasMessageStartingWith("RT-1220");
        assertThatThrownBy(() -> start("none", "1,4"))
                .isInstanceOf(ConfigurationRefused.class)
                .hasMessageStartingWith("RT-1221 ringtable.cluster.shards names shard 4");

        TestBroker a = start("a", "");
        assertThatThrownBy(() -> start("less", "", "ringtable.shards", SHARDS - 1))
                .isInstanceOf(ConfigurationRefused.class)
                .hasMessageStartingWith("RT-1222 ringtable.shards=3, and the store has shard 3");
        awaitOwned(a, 0, 1, 2, 3);
    }

    // ---- names that belong elsewhere

    /** Clients of both nodes name the first addresses of each affinity at the same moment. */
    @Test
    void anAffinityThatTwoNodesBeginAtOnceHasOneHome() throws Exception {
        int affinities = 10;
        Object[] pairs = IntStream.range(0, affinities)
                .boxed()
                .flatMap(i -> Stream.of(
                        "ringtable.dispatch.addresses[" + i + "].match",
                        "pair." + i + ".#",
                        "ringtable.dispatch.addresses[" + i + "].affinity",
                        "pair " + i))
                .toArray();
        TestBroker a = start("a", "0,1", pairs);
        TestBroker b = start("b", "2,3", pairs);
        awaitOwned(b, 2, 3);
        awaitKnown(a, b);
        awaitKnown(b, a);
        try (JMSContext atA = a.jms().createContext();
                JMSContext atB = b.jms().createContext()) {
            for (int i = 0; i < affinities; i++) {
                String name = "pair." + i;
                CompletableFuture<?> one = CompletableFuture.runAsync(
                        () -> atA.createProducer().send(atA.createQueue(name + ".one"), "1"), executor);
                CompletableFuture<?> two = CompletableFuture.runAsync(
                        () -> atB.createProducer().send(atB.createQueue(name + ".two"), "2"), executor);
                one.get();
                two.get();
            }
        }
        assertThat(database.ask("SELECT count(*) FROM ringtable.address WHERE name LIKE 'pair.%'"))
                .isEqualTo(String.valueOf(2 * affinities));
        assertThat(database.ask("SELECT count(DISTINCT (split_part(name, '.', 2), shard_id)) FROM ringtable.address"
                        + " WHERE name LIKE 'pair.%'"))
                .as("an affinity has one home")
                .isEqualTo(String.valueOf(affinities));
    }

    @Test
    void anAffinityAndADurableSubscriptionLiveInOneNode() throws Exception {
        Object[] pair = {
            "ringtable.dispatch.addresses[0].match", "pair.#", "ringtable.dispatch.addresses[0].affinity", "pair"
        };
        TestBroker a = start("a", "0,1", pair);
        TestBroker b = start("b", "2,3", pair);
        awaitOwned(b, 2, 3);
        await().until(() -> elsewhere(b), List.of(0, 1)::equals);
        awaitKnown(b, a);
        send(a, "pair.one", "1");
        await().until(() -> b.shard().lookup().find("pair.one") != null);
        send(b, "pair.two", "2"); // made there
        assertThat(shardOf(a, "pair.two")).isEqualTo(shardOf(a, "pair.one"));
        try (JMSContext context = b.jms().createContext()) {
            JMSConsumer consumer = context.createConsumer(context.createQueue("pair.three"));
            assertThat(shardOf(a, "pair.three")).isEqualTo(shardOf(a, "pair.one"));
            send(a, "pair.three", "3");
            assertThat(consumer.receiveBody(String.class, WAIT_MS)).isEqualTo("3");
        }
        try (Connection connection = b.jms().createConnection()) {
            Session session = connection.createSession();
            session.createProducer(null).send(session.createQueue("pair.four"), session.createTextMessage("4"));
        }
        assertThat(shardOf(a, "pair.four")).isEqualTo(shardOf(a, "pair.one"));
        assertThat(receive(b, "pair.four")).isEqualTo("4");

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

    // ---- several databases

    /** Both nodes begin at once on databases that are new, so they agree where shards lie. */
    @Test
    void shardsOfTwoDatabasesAreSharedToo() throws Exception {
        PostgresqlTestDatabase second = PostgresqlTestDatabase.migrated();
        try {
            Object[] stores = {
                "ringtable.stores[0].name", "second",
                "ringtable.stores[0].url", second.settings().properties().url(),
                "ringtable.stores[0].username", second.settings().properties().username(),
                "ringtable.stores[0].password", second.settings().properties().password(),
                "ringtable.stores[0].shards", "2,3"
            };
            CompletableFuture<TestBroker> other =
                    CompletableFuture.supplyAsync(() -> start("b", "1,3", stores), executor);
            TestBroker a = start("a", "0,2", stores);
            TestBroker b = other.join();
            awaitOwned(a, 0, 2);
            awaitOwned(b, 1, 3);
            for (int i = 0; i < SHARDS; i++) {
                send(i % 2 == 0 ? a : b, "queue." + i, "text " + i);
            }
            String tokens = "SELECT string_agg(token, ',' ORDER BY shard_id) FROM ringtable.placement";
            assertThat(second.ask(tokens)).isEqualTo(database.ask(tokens));

            close("b");
            TestBroker c = start("c", "1,3", stores);
            awaitOwned(c, 1, 3);
            for (int i = 0; i < SHARDS; i++) {
                assertThat(receive(i % 2 == 0 ? a : c, "queue." + i)).isEqualTo("text " + i);
            }
            close("a");
            close("c");
        } finally {
            second.close();
        }
    }

    // ---- settings

    @Test
    void whatIsSetAtTheNodeOfTheFirstShardCountsAtTheOthers() throws Exception {
        Object[] root = {
            "ringtable.security.users[0].name", "root", "ringtable.security.users[0].password", "{noop}root"
        };
        TestBroker a = start("a", "0,1", root);
        TestBroker b = start("b", "2,3", root);
        awaitOwned(b, 2, 3);
        assertThatThrownBy(() -> logIn(b, "root", PASSWORD)).isInstanceOf(JMSSecurityException.class);
        logIn(b, "root", "root");

        Administrator atA = Administrator.of(a, "root");
        Administrator atB = Administrator.of(b, "root");
        atA.make("/users/ann", "{'passwordHash': '" + HASH + "'}");
        await().until(() -> atB.get("/users").toString().contains("\"ann\""));
        logIn(b, "ann", PASSWORD);
        atA.delete("/users/ann");
        await().until(() -> !atB.get("/users").toString().contains("\"ann\""));
        assertThatThrownBy(() -> logIn(b, "ann", PASSWORD)).isInstanceOf(JMSSecurityException.class);

        awaitKnown(b, a);
        atA.make("/policies/limited.#", "{'deadLetterQueue': 'limited.dead'}");
        await().until(
                        () -> database.ask("SELECT count(*) FROM ringtable.address WHERE name = 'limited.dead'"),
                        String.valueOf(SHARDS)::equals); // a part in each shard, whichever node has it
        assertThat(b.shard().policies().now().isDestination("limited.dead")).isTrue();

        assertThat(atB.refused(503, "RT-4600", "PUT", "/users/bob", "{'passwordHash': '" + HASH + "'}"))
                .contains("shard 0 is served by node '")
                .contains(url(a));

        atA.make("/users/cat", "{'passwordHash': '" + HASH + "'}");
        close("a");
        TestBroker c = start("c", "0", root);
        awaitOwned(c, 0);
        Administrator.of(c, "root").delete("/users/cat");
        await().until(() -> !atB.get("/users").toString().contains("\"cat\""));
    }

    private static void logIn(TestBroker node, String user, String password) throws JMSException {
        node.jms(user, password).createConnection().close();
    }
}
