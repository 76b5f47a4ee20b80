package io.ringtable.acceptance.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.Jms;
import jakarta.jms.Connection;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The bridge moves messages between Artemis and Ringtable while it and both brokers are killed at random moments: every
 * message arrives once and unchanged. Two tests without kills hold what else docs/bridge.md says of Artemis. {@code
 * acceptance/bridge.sh} moves more; {@code -Dbridge.seed=…} repeats a run's moments.
 */
class BridgeTest {
    private static final int MESSAGES = Integer.getInteger("bridge.messages", 3_000);
    private static final int KILLS = Integer.getInteger("bridge.kills", 1); // of each of the three
    private static final long SEED = Long.getLong("bridge.seed", System.nanoTime());
    private static final Duration MOST = Duration.ofMinutes(10);
    private static final Duration LOOK = Duration.ofMillis(25); // each asks the broker

    @RegisterExtension
    static final Bench bench = new Bench();

    private static Artemis artemis;
    private static BrokerProcess ringtable;

    private final Random random = new Random(SEED);
    private final NumberedMessages messages = new NumberedMessages(MESSAGES);

    @BeforeAll
    static void startBrokers() {
        artemis = bench.closing(new Artemis(bench.directory().resolve("artemis")));
        ringtable = bench.broker().launch();
        artemis.start();
        ringtable.awaitReady();
    }

    @AfterAll
    static void sayTheSeed() {
        System.out.printf("bridge.messages %d, bridge.kills %d, bridge.seed %d%n", MESSAGES, KILLS, SEED);
    }

    @Test
    void aQueueOfArtemisMovesToRingtable() throws Exception {
        messages.publish(artemis.url(), false, "old-orders");

        move(
                () -> (int) Math.max(0, ringtable.owed("orders")),
                "--from",
                artemis.url() + "/old-orders",
                "--to",
                ringtable.amqpUrl() + "/queue://orders");

        assertThat(messages.faults(ringtable.amqpUrl(), "orders"))
                .as("bridge.seed=%d", SEED)
                .isEmpty();
    }

    @Test
    void aSubscriptionOfRingtableMovesToArtemis() throws Exception {
        try (Connection connection = Jms.factory(ringtable.amqpUrl()).createConnection()) {
            connection.setClientID("paper");
            Session session = connection.createSession();
            session.createDurableSubscriber(session.createTopic("news"), "evening")
                    .close();
        }
        messages.publish(ringtable.amqpUrl(), true, "news");

        move(
                () -> {
                    long owed = ringtable.owed("news");
                    return owed < 0 ? 0 : (int) (MESSAGES - owed);
                },
                "--from",
                ringtable.amqpUrl() + "/topic://news",
                "--durable",
                "evening",
                "--client-id",
                "paper",
                "--to",
                artemis.url() + "/news-copy");

        assertThat(messages.faults(artemis.url(), "news-copy"))
                .as("bridge.seed=%d", SEED)
                .isEmpty();
    }

    /** By the names of its client, and by its fully qualified name. */
    @Test
    void aSubscriptionOfArtemisMovesToRingtable() throws Exception {
        try (Connection connection = Jms.factory(artemis.url()).createConnection()) {
            connection.setClientID("paper");
            Session session = connection.createSession();
            Topic topic = session.createTopic("old-news");
            session.createDurableSubscriber(topic, "morning").close();
            session.createDurableSubscriber(topic, "evening").close();
            session.createProducer(topic).send(session.createTextMessage("flood"));
        }

        String morning = toEnd(
                "--from",
                artemis.url() + "/topic://old-news",
                "--durable",
                "morning",
                "--client-id",
                "paper",
                "--to",
                ringtable.amqpUrl() + "/morning-news");
        String evening = toEnd(
                "--from", artemis.url() + "/old-news::paper.evening", "--to", ringtable.amqpUrl() + "/evening-news");

        assertThat(morning).startsWith("1 messages moved");
        assertThat(evening).startsWith("1 messages moved");
        assertThat(Jms.receive(ringtable.amqpUrl(), "morning-news", 1)).containsExactly("flood");
        assertThat(Jms.receive(ringtable.amqpUrl(), "evening-news", 1)).containsExactly("flood");
    }

    @Test
    void aMessageWithoutANameStaysUnlessItsBytesCount() throws Exception {
        try (Connection connection = Jms.factory(artemis.url()).createConnection()) {
            Session session = connection.createSession();
            MessageProducer producer = session.createProducer(session.createQueue("nameless"));
            producer.setDisableMessageID(true);
            producer.send(session.createTextMessage("who am I"));
        }
        String[] ends = {"--from", artemis.url() + "/nameless", "--to", ringtable.amqpUrl()};

        String refused = toEnd(ends);
        String moved = toEnd(ends[0], ends[1], ends[2], ends[3], "--by-content");

        assertThat(refused).startsWith("RT-6026 ");
        assertThat(moved).startsWith("1 messages moved");
        assertThat(Jms.receive(ringtable.amqpUrl(), "nameless", 1)).containsExactly("who am I");
    }

    /** Runs a bridge for one message, which nobody kills. @return what it printed */
    private static String toEnd(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--count", "1", "--wait", "60"));
        try (BridgeProcess bridge = new BridgeProcess(
                        bench.directory().resolve("bridge-" + UUID.randomUUID() + ".log"), all.toArray(new String[0]))
                .start()) {
            await("the end of the bridge").atMost(MOST).until(() -> !bridge.isAlive());
            return bridge.log();
        }
    }

    /** Runs the bridge to its end, with a kill of each of the three at random places of the way. */
    private void move(IntSupplier moved, String... arguments) throws Exception {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--wait", "3"));
        String log = "bridge-" + arguments[arguments.length - 1].replaceAll(".*/", "") + ".log";
        BridgeProcess bridge =
                bench.closing(new BridgeProcess(bench.directory().resolve(log), all.toArray(new String[0])));
        Deque<Runnable> victims = victims(bridge);
        int part = MESSAGES / (victims.size() + 1);
        BooleanSupplier isAllMoved = () -> moved.getAsInt() >= MESSAGES;
        bridge.start();
        for (int nth = 0; !victims.isEmpty(); nth++) {
            int place = nth * part + random.nextInt(part);
            await("message " + place).atMost(MOST).pollInterval(LOOK).until(() -> {
                assertThat(bridge.isDone(isAllMoved))
                        .as("the end before the last kill")
                        .isFalse();
                return moved.getAsInt() >= place;
            });
            victims.pop().run();
        }
        await("the end of the bridge").atMost(MOST).until(() -> bridge.isDone(isAllMoved));
        System.out.printf(
                "%,d messages, bridge.seed %d, %d starts of the bridge%n%s",
                MESSAGES, SEED, bridge.starts(), bridge.log());
    }

    private Deque<Runnable> victims(BridgeProcess bridge) {
        List<Runnable> victims = new ArrayList<>();
        for (int i = 0; i < KILLS; i++) {
            victims.add(() -> {
                if (bridge.isAlive()) {
                    bridge.kill();
                }
            });
            victims.add(() -> {
                artemis.kill();
                artemis.start();
            });
            victims.add(() -> {
                ringtable.kill();
                ringtable.start();
            });
        }
        Collections.shuffle(victims, random);
        return new ArrayDeque<>(victims);
    }
}
