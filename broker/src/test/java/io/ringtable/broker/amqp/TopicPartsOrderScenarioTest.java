package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.TestSettings;
import jakarta.jms.Connection;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The order of keys in a topic with parts, for each subscription, with several publishers and consumers at once. */
@Timeout(180)
class TopicPartsOrderScenarioTest {
    private static final long WAIT_MS = 60_000;
    private static final int KEYS = 12;
    private static final int HALF = 30; // messages of each key
    private static final String TOPIC = "rates";
    private static final TestSettings SETTINGS = TestSettings.of("ringtable.shards", 4)
            .with("ringtable.dispatch.addresses[0].match", TOPIC, "ringtable.dispatch.addresses[0].parts", 3);

    @TempDir
    private Path directory;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Received durable = new Received();
    private final Received shared = new Received();
    private TestBroker broker;

    @AfterEach
    void stop() {
        threads.shutdownNow();
        if (broker != null) {
            broker.close();
        }
    }

    /** Holds what the consumers of one subscription got, by key, in the order in which they got it. Thread: any. */
    private static final class Received {
        private final Map<String, List<Integer>> byKey = new TreeMap<>();
        private int count;

        synchronized void add(String text) {
            String[] keyAndNumber = text.split(" ");
            byKey.computeIfAbsent(keyAndNumber[0], key -> new ArrayList<>()).add(Integer.valueOf(keyAndNumber[1]));
            count++;
        }

        synchronized int count() {
            return count;
        }

        synchronized void requireOrder() {
            assertThat(byKey).hasSize(KEYS);
            byKey.forEach((key, numbers) -> assertThat(numbers)
                    .as("numbers of %s", key)
                    .hasSize(2 * HALF)
                    .isSorted()
                    .doesNotHaveDuplicates());
        }
    }

    @Test
    void eachSubscriptionGetsEachMessageOnceAndKeysKeepTheirOrderOverARestart() throws Exception {
        broker = TestBroker.start(directory, SETTINGS);
        consume(0, 0); // which makes the subscriptions
        publish(0, HALF);
        assertThat(broker.shard().partsOf(broker.shard().lookup().find(TOPIC)).all())
                .hasSize(3)
                .allSatisfy(part -> assertThat(part.quota().messages()).isPositive());
        consume(KEYS * HALF / 2, KEYS * HALF / 3);
        broker.close();

        broker = TestBroker.start(directory, SETTINGS);
        publish(HALF, 2 * HALF);
        consume(2 * KEYS * HALF, 2 * KEYS * HALF);
        durable.requireOrder();
        shared.requireOrder();
        try (JMSContext context = broker.jms("jms.clientID=reader").createContext()) {
            assertThat(durableConsumer(context).receiveNoWait()).isNull();
        }
    }

    /** Publishes messages of each key in order, by two links at once that have half of the keys each. */
    private void publish(int from, int to) throws Exception {
        List<Future<?>> links = new ArrayList<>();
        for (int link = 0; link < 2; link++) {
            int its = link;
            links.add(threads.submit(() -> {
                try (Connection connection = broker.jms().createConnection()) {
                    Session session = connection.createSession();
                    MessageProducer producer = session.createProducer(session.createTopic(TOPIC));
                    for (int number = from; number < to; number++) {
                        for (int key = its; key < KEYS; key += 2) {
                            Message message = session.createTextMessage("key" + key + " " + number);
                            message.setStringProperty("JMSXGroupID", "key" + key);
                            producer.send(message);
                        }
                    }
                }
                return null;
            }));
        }
        for (Future<?> each : links) {
            each.get(WAIT_MS, TimeUnit.MILLISECONDS);
        }
    }

    /** Consumes by one consumer of the durable subscription, and by two of the shared one, until so many have come. */
    private void consume(int ofDurable, int ofShared) throws Exception {
        List<Future<?>> consumers = List.of(
                threads.submit(() -> consume("jms.clientID=reader&", this::durableConsumer, durable, ofDurable)),
                threads.submit(() -> consume("", this::sharedConsumer, shared, ofShared)),
                threads.submit(() -> consume("", this::sharedConsumer, shared, ofShared)));
        for (Future<?> each : consumers) {
            each.get(2 * WAIT_MS, TimeUnit.MILLISECONDS);
        }
    }

    private JMSConsumer durableConsumer(JMSContext context) {
        return context.createDurableConsumer(context.createTopic(TOPIC), "durable");
    }

    private JMSConsumer sharedConsumer(JMSContext context) {
        return context.createSharedDurableConsumer(context.createTopic(TOPIC), "shared");
    }

    private void consume(String options, Function<JMSContext, JMSConsumer> subscribe, Received received, int all) {
        try (JMSContext context =
                        broker.jms(options + "jms.prefetchPolicy.all=5").createContext();
                JMSConsumer consumer = subscribe.apply(context)) {
            while (received.count() < all) {
                String text = consumer.receiveBody(String.class, 50);
                if (text != null) {
                    received.add(text);
                }
            }
        }
    }
}
