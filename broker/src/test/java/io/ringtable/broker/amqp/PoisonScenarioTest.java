package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.wire.CodecMemory;
import io.ringtable.wire.Encoded;
import io.ringtable.wire.Poison;
import jakarta.jms.Connection;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.ApplicationProperties;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Messages, selectors and frames that are made to harm: whoever sends them hears why, and nobody else hears of them.
 */
@Timeout(120)
class PoisonScenarioTest {
    private static final String SELECTOR =
            "color = 'never' OR size * 2 = -1 OR JMSType LIKE '%none' OR JMSXGroupID = 'no'";

    @TempDir
    private Path directory;

    private TestBroker broker;
    private Honest honest;

    @BeforeEach
    void start() {
        broker = TestBroker.start(directory);
        honest = new Honest(broker);
    }

    @AfterEach
    void theHonestOneHasBeenServedAllTheTime() throws Exception {
        honest.end();
        broker.close();
    }

    /** Sends and receives one message after the other, until it is told to stop. */
    private static final class Honest {
        private final AtomicBoolean ended = new AtomicBoolean();
        private final AtomicInteger served = new AtomicInteger();
        private final AtomicReference<Throwable> failure = new AtomicReference<>();
        private final Thread thread;

        Honest(TestBroker broker) {
            thread = new Thread(() -> run(broker), "honest");
            thread.setUncaughtExceptionHandler((its, thrown) -> failure.set(thrown));
            thread.start();
        }

        private void run(TestBroker broker) {
            try (JMSContext context = broker.jms().createContext()) {
                Queue queue = context.createQueue("honest");
                JMSConsumer consumer = context.createConsumer(queue);
                while (!ended.get()) {
                    context.createProducer().send(queue, "alive");
                    assertThat(consumer.receiveBody(String.class, 60_000)).isEqualTo("alive");
                    served.incrementAndGet();
                }
            }
        }

        void end() throws InterruptedException {
            int before = served.get();
            Awaitility.await().until(() -> served.get() >= before + 3 || !thread.isAlive());
            ended.set(true);
            thread.join();
            assertThat(failure.get()).isNull();
            assertThat(served.get()).isGreaterThanOrEqualTo(before + 3);
        }
    }

    private String outcomeOf(String address, byte[] message) throws Exception {
        try (RawPeer peer = RawPeer.sendingTo(broker, address)) {
            peer.send(message);
            peer.awaitOutcomes();
            return peer.outcomes.get(0L);
        }
    }

    @Test
    void nestedListsInAPropertyAreRefusedBeforeAnythingIsStored() throws Exception {
        try (JMSContext context = broker.jms().createContext()) {
            JMSConsumer ofQueue = context.createConsumer(context.createQueue("q"), SELECTOR);
            JMSConsumer ofTopic = context.createConsumer(context.createTopic("t"), SELECTOR);
            for (String address : new String[] {"q", "t"}) {
                byte[] nested = Poison.nested(450_000, 0); // 4 MB
                assertThat(outcomeOf(address, Poison.property(nested))).contains("RT-43");
                assertThat(outcomeOf(address, Poison.property(Poison.nested(6_000, Integer.MAX_VALUE))))
                        .startsWith("RT-4300");
                assertThat(outcomeOf(address, Poison.property(Poison.nested(33, 0))))
                        .startsWith("RT-4300");
                assertThat(outcomeOf(address, Poison.property(Poison.nested(20, 0))))
                        .isEmpty();
            }
            assertThat(ofQueue.receiveNoWait()).isNull();
            assertThat(ofTopic.receiveNoWait()).isNull();
        }
        assertThat(broker.status().shard().addresses().stream()
                        .filter(address -> address.name().equals("q"))
                        .findFirst()
                        .orElseThrow()
                        .messages())
                .isEqualTo(1);
    }

    @Test
    void aPriorityThatIsNoneIsRefusedAloneAndNotByTheStore() throws Exception {
        byte[] negative = new Poison()
                .section(0x70, 0xd0, 2, new Poison().put(0x40, 0x51, 0xff).bytes())
                .put(Poison.body())
                .bytes();
        assertThat(outcomeOf("q", negative)).startsWith("RT-4302");
    }

    @Test
    void aSelectorOfAnEarlierVersionParksItsSubscriptionAndTheStartGoesOn() throws Exception {
        Topic topic;
        try (JMSContext context = broker.jms("jms.clientID=c").createContext()) {
            topic = context.createTopic("news");
            context.createDurableConsumer(topic, "large", "color = 'red'", false)
                    .close();
            context.createDurableConsumer(topic, "small", "color = 'red'", false)
                    .close();
        }
        honest.end();
        broker.close();
        sql("UPDATE subscription SET selector = '" + "(".repeat(8_188) + "color" + ")".repeat(8_188)
                + "' WHERE name = 'large'");
        broker = TestBroker.start(directory);
        honest = new Honest(broker);
        assertThat(broker.status().shard().parked()).singleElement().satisfies(parked -> {
            assertThat(parked.address()).isEqualTo("news");
            assertThat(parked.name()).isEqualTo("large");
            assertThat(parked.sequence()).isEqualTo(-1);
            assertThat(parked.reason()).contains("selector", "nested too deeply");
        });
        assertThat(outcomeOf(
                        "news",
                        Encoded.message(
                                new ApplicationProperties(java.util.Map.of("color", "red")), new AmqpValue<>("x"))))
                .isEmpty();
        assertThat(owed("large")).as("what it may want is not lost").isEqualTo(1);
        try (JMSContext context = broker.jms("jms.clientID=c").createContext()) {
            assertThat(context.createDurableConsumer(topic, "small", "color = 'red'", false)
                            .receiveBody(String.class, 60_000))
                    .isEqualTo("x");
            context.unsubscribe("large");
        }
        assertThat(broker.status().shard().parked()).isEmpty();
    }

    private long owed(String subscription) {
        return broker.status().shard().addresses().stream()
                .flatMap(address -> address.subscriptions().stream())
                .filter(each -> each.name().equals(subscription))
                .mapToLong(each -> each.owedInRing())
                .sum();
    }

    private void sql(String statement) throws SQLException {
        try (java.sql.Connection connection =
                        DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("ringtable.db"));
                Statement update = connection.createStatement()) {
            assertThat(update.executeUpdate(statement)).isEqualTo(1);
        }
    }

    /** In a frame of any kind, whatever the engine would make of it. */
    @Test
    void framesThatNestOrLieCloseTheirConnectionWithTheReason() throws Exception {
        for (byte[] value : new byte[][] {
            Poison.nested(6_000, Integer.MAX_VALUE),
            Poison.nested(40, 0),
            new Poison().put(0xf0).int32(5).int32(Integer.MAX_VALUE).put(0x45).bytes()
        }) {
            byte[] map = new Poison()
                    .compound(0xd1, 2, new Poison().symbol("x").put(value).bytes())
                    .bytes();
            try (RawPeer peer = new RawPeer(broker)) {
                open(peer, map);
                assertThat(peer.awaitEnd()).contains("RT-4304", "amqp:decode-error");
            }
            try (RawPeer peer = RawPeer.sendingTo(broker, "q")) { // the state of a transfer
                peer.send(
                        Poison.body(),
                        new Poison().put(0, 0x53, 0x25).put(value).bytes());
                assertThat(peer.awaitEnd()).contains("RT-4304", "amqp:decode-error");
            }
            try (RawPeer peer = RawPeer.sendingTo(broker, "q")) { // a disposition
                peer.frame(
                        0x15,
                        5,
                        new Poison()
                                .put(0x41, 0x43, 0x40, 0x41)
                                .put(0, 0x53, 0x25)
                                .put(value)
                                .bytes());
                assertThat(peer.awaitEnd()).contains("RT-4304", "amqp:decode-error");
            }
            try (RawPeer peer = RawPeer.sendingTo(broker, "q")) { // whatever follows a described nothing
                peer.frame(new Poison().put(0).put(value).put(0x40).bytes());
                assertThat(peer.awaitEnd()).contains("RT-4304");
            }
        }
    }

    // ---- at random

    @Test
    void symbolsAndDescriptorsOfClientsAreNotRememberedForEver() throws Exception {
        for (int round = 0; round < 15; round++) {
            Poison properties = new Poison();
            for (int i = 0; i < 2_000; i++) {
                properties.symbol("symbol-" + round + "-" + i).put(0x40);
            }
            try (RawPeer peer = new RawPeer(broker)) {
                open(
                        peer,
                        new Poison().compound(0xd1, 4_000, properties.bytes()).bytes());
                peer.frame(0x18, 0, new byte[0]);
                assertThat(peer.awaitEnd()).doesNotContain("RT-");
            }
        }
        assertThat(CodecMemory.symbolsKnown()).isLessThan(CodecMemory.SYMBOLS_MAX + 4_000);
        try (RawPeer peer = new RawPeer(broker)) {
            Poison properties = new Poison();
            for (int i = 0; i <= CodecMemory.DESCRIPTORS_MAX; i++) {
                properties
                        .symbol("property-" + i)
                        .put(0)
                        .symbol("descriptor-" + i)
                        .put(0x40);
            }
            open(
                    peer,
                    new Poison()
                            .compound(0xd1, 2 * CodecMemory.DESCRIPTORS_MAX + 2, properties.bytes())
                            .bytes());
            assertThat(peer.awaitEnd()).contains("RT-4304", "256 descriptors");
        }
    }

    private static void open(RawPeer peer, byte[] properties) throws IOException {
        peer.frame(
                0x10,
                10,
                new Poison()
                        .text("x")
                        .put(0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40)
                        .put(properties)
                        .bytes());
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {11, 12, 13})
    void messagesOfAnyContentHarmNobody(long seed) throws Exception {
        Random random = new Random(seed);
        int accepted = 0;
        int refused = 0;
        try (Connection connection = broker.jms("jms.clientID=fuzz").createConnection()) {
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            var ofQueue = session.createConsumer(session.createQueue("fuzz-q"), SELECTOR);
            var ofTopic = session.createConsumer(session.createTopic("fuzz-t"), SELECTOR);
            var durable = session.createDurableConsumer(session.createTopic("fuzz-t"), "d", SELECTOR, false);
            for (int round = 0; round < 12; round++) {
                try (RawPeer peer = RawPeer.sendingTo(broker, round % 2 == 0 ? "fuzz-q" : "fuzz-t")) {
                    for (int i = 0; i < 60; i++) {
                        peer.send(Poison.message(random));
                    }
                    peer.awaitOutcomes();
                    assertThat(peer.outcomes)
                            .as("seed %d, round %d", seed, round)
                            .hasSize(60);
                    for (String outcome : peer.outcomes.values()) {
                        assertThat(outcome).as("seed %d, round %d", seed, round).matches("(?s)(RT-4[03].*)?");
                        accepted += outcome.isEmpty() ? 1 : 0;
                        refused += outcome.isEmpty() ? 0 : 1;
                    }
                }
            }
            assertThat(ofQueue.receiveNoWait()).isNull();
            assertThat(ofTopic.receiveNoWait()).isNull();
            assertThat(durable.receiveNoWait()).isNull();
        }
        assertThat(accepted).as("seed %d", seed).isGreaterThan(50);
        assertThat(refused).as("seed %d", seed).isGreaterThan(50);
        // The next client that starts can read the accepted messages.
        honest.end();
        broker.close();
        broker = TestBroker.start(directory);
        honest = new Honest(broker);
        assertThat(broker.status().shard().parked()).isEmpty();
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {31, 32})
    void linksOfAnyNameHarmNobodyElse(long seed) throws Exception {
        Random random = new Random(seed);
        try (RawPeer peer = RawPeer.sendingTo(broker, "q")) {
            for (int i = 1; i < 200; i++) {
                byte[] name = new byte[random.nextInt(4) == 0 ? 0 : random.nextInt(60)];
                random.nextBytes(name);
                peer.frame(
                        0x12,
                        7,
                        new Poison()
                                .put(0xa1, name.length)
                                .put(name)
                                .put(0x52, i)
                                .put(random.nextBoolean() ? 0x41 : 0x42)
                                .put(0x40, 0x40)
                                .put(node(0x28, random))
                                .put(node(0x29, random))
                                .bytes());
            }
            peer.frame(0x18, 0, new byte[0]);
            peer.awaitEnd();
        }
    }

    /** A source or target whose address is anything. */
    private static byte[] node(int code, Random random) {
        Poison fields = new Poison();
        fields.put(Poison.value(random, 2));
        return new Poison().put(0, 0x53, code).compound(0xd0, 1, fields.bytes()).bytes();
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {21, 22})
    void framesOfAnyContentHarmNobodyElse(long seed) throws Exception {
        Random random = new Random(seed);
        for (int i = 0; i < 150; i++) {
            try (RawPeer peer = random.nextBoolean() ? new RawPeer(broker) : RawPeer.sendingTo(broker, "q")) {
                int fields = random.nextInt(14);
                Poison list = new Poison();
                for (int n = 0; n < fields; n++) {
                    list.put(Poison.value(random, 6));
                }
                peer.frame(0x10 + random.nextInt(9), fields, list.bytes());
                peer.frame(0x18, 0, new byte[0]);
                peer.awaitEnd();
            }
        }
    }
}
