package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.dispatch.Parts;
import io.ringtable.broker.message.PartKey;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSProducer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** A node with four shards, whose policies give addresses parts in them: each test has names of its own. */
abstract class PartsScenario {
    static final long WAIT_MS = 60_000;
    static final int SHARDS = 4;
    static final int SMALL = 10; // messages that a part of small.# may owe

    @TempDir
    private static Path directory;

    static TestBroker broker;
    static Administrator administrator;

    @BeforeAll
    static void start() {
        broker = TestBroker.start(
                directory,
                TestSettings.of("ringtable.shards", SHARDS)
                        .with(
                                "ringtable.dispatch.addresses[0].match",
                                "hot.#",
                                "ringtable.dispatch.addresses[0].parts",
                                SHARDS)
                        .with(
                                "ringtable.dispatch.addresses[1].match",
                                "small.#",
                                "ringtable.dispatch.addresses[1].parts",
                                2,
                                "ringtable.dispatch.addresses[1].messages-max",
                                SMALL)
                        .with(
                                "ringtable.dispatch.addresses[2].match", "bank.#",
                                "ringtable.dispatch.addresses[2].parts", 2,
                                "ringtable.dispatch.addresses[2].affinity", "bank")
                        .with(
                                "ringtable.dispatch.addresses[3].match",
                                "only.#",
                                "ringtable.dispatch.addresses[3].parts",
                                SHARDS,
                                "ringtable.dispatch.addresses[3].exclusive",
                                true)
                        .with(
                                "ringtable.dispatch.addresses[4].match", "kept.#",
                                "ringtable.dispatch.addresses[4].parts", SHARDS,
                                "ringtable.dispatch.addresses[4].retention-age", "1h"));
        administrator = Administrator.of(broker, "");
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    // ---- what is looked at

    static Parts parts(String queue) {
        return broker.shard().partsOf(broker.shard().lookup().find(queue));
    }

    static int partOf(String queue, String key) {
        return parts(queue).indexOf(PartKey.of(key));
    }

    /** Returns as many groups, each of another part. */
    static List<String> groupsOfEachPart(String queue, int count) {
        Map<Integer, String> groups = new TreeMap<>();
        for (int i = 0; groups.size() < count; i++) {
            groups.putIfAbsent(partOf(queue, "group " + i), "group " + i);
        }
        return List.copyOf(groups.values());
    }

    /** Returns what each part owes, as an administrator sees it. */
    static List<Integer> owed(String queue) {
        List<Integer> owed = new ArrayList<>();
        administrator
                .get("/addresses/" + queue)
                .get("parts")
                .forEach(part -> owed.add(part.get("messages").asInt()));
        return owed;
    }

    static List<Integer> boxed(int[] numbers) {
        return IntStream.of(numbers).boxed().toList();
    }

    static void awaitOwed(String queue, Integer... messages) {
        Awaitility.await().untilAsserted(() -> assertThat(owed(queue)).containsExactlyInAnyOrder(messages));
    }

    static void send(JMSContext context, JMSProducer producer, String queue, String group, String text) {
        if (group == null) {
            producer.clearProperties();
        } else {
            producer.setProperty("JMSXGroupID", group);
        }
        producer.send(context.createQueue(queue), text);
    }

    static List<String> receive(JMSContext context, String queue, int count) {
        List<String> texts = new ArrayList<>();
        try (JMSConsumer consumer = context.createConsumer(context.createQueue(queue))) {
            for (int i = 0; i < count; i++) {
                texts.add(consumer.receiveBody(String.class, WAIT_MS));
            }
            assertThat(consumer.receiveNoWait()).isNull();
        }
        return texts;
    }

    /** Makes a queue by its first link. @return its name */
    static String made(String queue) {
        try (JMSContext context = broker.jms().createContext()) {
            context.createConsumer(context.createQueue(queue)).close();
        }
        return queue;
    }
}
