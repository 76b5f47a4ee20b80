package io.ringtable.broker.amqp;

import static io.ringtable.broker.amqp.MovingAddresses.receive;
import static io.ringtable.broker.amqp.MovingAddresses.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.TestSettings;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSProducer;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.Message;
import jakarta.jms.Topic;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Topics that move to another shard while clients of Qpid JMS use them. Each test has a topic of its own. */
@Timeout(120)
class MoveTopicScenarioTest {
    private static final int SHARDS = 3;
    private static final int MOVES = 4;
    private static final int PUBLISHERS = 3;
    private static final String PAST = "%s?since=2000-01-01T00:00:00Z";

    @TempDir
    private static Path directory;

    private static TestBroker broker;
    private static Administrator administrator;
    private static MovingAddresses moving;

    @BeforeAll
    static void start() {
        broker = TestBroker.start(
                directory,
                TestSettings.of("ringtable.shards", SHARDS)
                        .with(
                                "ringtable.dispatch.addresses[0].match", "kept.#",
                                "ringtable.dispatch.addresses[0].retention-age", "1h",
                                "ringtable.dispatch.addresses[1].match", "busy",
                                "ringtable.dispatch.addresses[1].retention-bytes", "1MB"));
        administrator = Administrator.of(broker, "");
        moving = new MovingAddresses(broker, administrator, SHARDS);
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    private static JMSContext client(String id) {
        JMSContext context = broker.jms("jms.prefetchPolicy.all=20").createContext();
        context.setClientID(id);
        return context;
    }

    private static void publish(JMSContext context, String topic, int from, int to) {
        JMSProducer producer = context.createProducer();
        for (int i = from; i < to; i++) {
            producer.setProperty("odd", i % 2 == 1).send(context.createTopic(topic), "m " + i);
        }
    }

    // ---- under load

    /** Holds what the consumers of one subscription got, by publisher, in the order in which they got it. */
    private static final class Received {
        private final Map<Integer, List<Integer>> byPublisher = new TreeMap<>();
        private int count;

        synchronized void add(Message message) throws JMSException {
            byPublisher
                    .computeIfAbsent(message.getIntProperty("publisher"), first -> new ArrayList<>())
                    .add(message.getIntProperty("number"));
            count++;
        }

        /** Tells whether this is the end of what each publisher has published, in order. */
        synchronized boolean isEndOf(Map<Integer, List<Integer>> all) {
            return all.entrySet().stream().allMatch(each -> {
                List<Integer> its = byPublisher.getOrDefault(each.getKey(), List.of());
                int size = each.getValue().size();
                return its.size() <= size && its.equals(each.getValue().subList(size - its.size(), size));
            });
        }

        synchronized int count() {
            return count;
        }

        synchronized Map<Integer, List<Integer>> sorted() {
            byPublisher.values().forEach(numbers -> numbers.sort(null));
            return byPublisher;
        }
    }

    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    private final List<JMSContext> contexts = new ArrayList<>();

    private Received reads(String client, int consumers, BiFunction<JMSContext, Topic, JMSConsumer> attach) {
        return reads("busy", client, consumers, attach);
    }

    private Received reads(
            String topic, String client, int consumers, BiFunction<JMSContext, Topic, JMSConsumer> attach) {
        Received received = new Received();
        for (int i = 0; i < consumers; i++) {
            JMSContext context = broker.jms("jms.prefetchPolicy.all=20").createContext();
            contexts.add(context);
            if (client != null) {
                context.setClientID(client);
            }
            attach.apply(context, context.createTopic(topic)).setMessageListener(message -> {
                try {
                    received.add(message);
                } catch (JMSException failure) {
                    failures.add(failure);
                }
            });
        }
        return received;
    }

    /** @return how many messages are stored */
    private static int publish(int publisher, Semaphore room, AtomicBoolean enough) throws InterruptedException {
        int number = 0;
        try (JMSContext context = broker.jms().createContext()) {
            JMSProducer producer = context.createProducer().setProperty("publisher", publisher);
            for (; !enough.get(); number++) {
                room.acquire();
                producer.setProperty("number", number)
                        .setProperty("odd", number % 2 == 1)
                        .send(context.createTopic("busy"), "x".repeat(number % 50 == 0 ? 200_000 : 10));
            }
        }
        return number;
    }

    @Test
    void nothingIsLostDoubledOrOvertakenWhileATopicMovesUnderLoad() throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        Semaphore room = new Semaphore(300); // messages that the slowest has not received
        AtomicBoolean enough = new AtomicBoolean();
        try {
            Received durable = reads("one", 1, (context, topic) -> context.createDurableConsumer(topic, "all"));
            Received odd =
                    reads("two", 1, (context, topic) -> context.createDurableConsumer(topic, "odd", "odd", false));
            Received plain = reads(null, 1, JMSContext::createConsumer);
            Received shared = reads(null, 3, (context, topic) -> context.createSharedDurableConsumer(topic, "global"));
            Received sharedPlain = reads(null, 2, (context, topic) -> context.createSharedConsumer(topic, "together"));
            List<Received> whole = List.of(durable, plain, shared, sharedPlain);
            List<Received> fromThePast = new ArrayList<>(); // one is made in each move
            List<Future<Integer>> sent = new ArrayList<>();
            for (int i = 0; i < PUBLISHERS; i++) {
                int number = i;
                sent.add(threads.submit(() -> publish(number, room, enough)));
            }
            int granted = 0;
            for (int i = 0; i < MOVES; i++) {
                int before = granted;
                int to = -1;
                while (to < 0 || moving.isMoving("busy") || granted < before + 500) {
                    int slowest = whole.stream().mapToInt(Received::count).min().orElseThrow();
                    room.release(slowest - granted);
                    granted = slowest;
                    if (to < 0 && granted > before + 200) {
                        to = moving.move("busy");
                        fromThePast.add(reads(
                                PAST.formatted("busy"),
                                "past " + i,
                                1,
                                (context, topic) -> context.createDurableConsumer(topic, "past")));
                    }
                }
                moving.awaitMoved("busy", to);
            }
            enough.set(true);
            room.release(1_000);
            Map<Integer, List<Integer>> all = new TreeMap<>();
            Map<Integer, List<Integer>> allOdd = new TreeMap<>();
            int published = 0;
            for (int i = 0; i < PUBLISHERS; i++) {
                int count = sent.get(i).get();
                published += count;
                all.put(i, IntStream.range(0, count).boxed().toList());
                allOdd.put(
                        i,
                        IntStream.range(0, count)
                                .filter(n -> n % 2 == 1)
                                .boxed()
                                .toList());
            }
            int expected = published;
            Awaitility.await().until(() -> whole.stream().allMatch(each -> each.count() >= expected));
            int expectedOdd = allOdd.values().stream().mapToInt(List::size).sum();
            Awaitility.await().until(() -> odd.count() >= expectedOdd);
            assertThat(durable.byPublisher).isEqualTo(all);
            assertThat(odd.byPublisher).isEqualTo(allOdd);
            assertThat(plain.byPublisher).isEqualTo(all);
            assertThat(shared.sorted()).isEqualTo(all);
            assertThat(sharedPlain.sorted()).isEqualTo(all);
            Awaitility.await()
                    .untilAsserted(() -> assertThat(fromThePast)
                            .hasSize(MOVES)
                            .allMatch(each -> each.count() > 0 && each.isEndOf(all)));
            assertThat(failures).isEmpty();
        } finally {
            enough.set(true);
            room.release(1_000);
            threads.shutdown();
            contexts.forEach(JMSContext::close);
        }
    }

    // ---- subscriptions

    @Test
    void aSubscriptionThatNobodyReadsKeepsTheOldHomeWhileOthersComeAndGo() {
        try (JMSContext publisher = broker.jms().createContext();
                JMSContext slow = client("slow");
                JMSContext fast = client("fast")) {
            Topic topic = publisher.createTopic("news");
            slow.createDurableConsumer(topic, "s").close();
            JMSConsumer stays = fast.createDurableConsumer(topic, "f");
            publish(publisher, "news", 0, 4);
            int to = moving.move("news");
            publish(publisher, "news", 4, 6);
            assertThat(receive(stays, 6)).isEqualTo(texts(0, 6)); // though the other one has read nothing

            JMSConsumer made = fast.createDurableConsumer(topic, "new");
            JMSConsumer plain = fast.createConsumer(topic);
            publish(publisher, "news", 6, 8);
            assertThat(receive(made, 2)).isEqualTo(texts(6, 8));
            assertThat(receive(plain, 2)).isEqualTo(texts(6, 8));
            assertThat(receive(stays, 2)).isEqualTo(texts(6, 8));
            made.close();
            fast.createDurableConsumer(topic, "new", "odd", false).close(); // another selector
            publish(publisher, "news", 8, 10);
            fast.createDurableConsumer(topic, "gone").close();
            fast.unsubscribe("gone");
            assertThat(moving.isMoving("news")).isTrue();

            JMSConsumer late = slow.createDurableConsumer(topic, "s");
            assertThat(receive(late, 10)).isEqualTo(texts(0, 10)); // what is in the old home comes first
            moving.awaitMoved("news", to);
            assertThat(receive(stays, 2)).isEqualTo(texts(8, 10));
            publish(publisher, "news", 10, 12);
            assertThat(receive(late, 2)).isEqualTo(texts(10, 12));
            assertThat(receive(plain, 4)).isEqualTo(texts(8, 12));
            assertThat(receive(fast.createDurableConsumer(topic, "new", "odd", false), 2))
                    .containsExactly("m 9", "m 11");
            assertThat(receive(stays, 2)).isEqualTo(texts(10, 12));
        }
    }

    @Test
    void deletingWhatNobodyReadsEndsTheMove() {
        try (JMSContext publisher = broker.jms().createContext();
                JMSContext left = client("left");
                JMSContext reads = client("reads")) {
            Topic topic = publisher.createTopic("left.over");
            left.createDurableConsumer(topic, "l").close();
            JMSConsumer before = reads.createSharedDurableConsumer(topic, "r");
            publish(publisher, "left.over", 0, 3);
            int to = moving.move("left.over");
            JMSConsumer after = reads.createSharedDurableConsumer(topic, "r");
            List<String> both = receive(before, 1);
            assertThat(both).hasSize(1);
            assertThat(moving.isMoving("left.over")).isTrue();
            refusedToUnsubscribe(reads, "r"); // both homes keep it
            left.unsubscribe("l");
            after.close(); // its messages come to the other one
            assertThat(receive(before, 2)).hasSize(2);
            moving.awaitMoved("left.over", to);
            refusedToUnsubscribe(reads, "r"); // it has been attached since before the move
            publish(publisher, "left.over", 3, 5);
            assertThat(receive(before, 2)).isEqualTo(texts(3, 5));
            assertThat(subscriptions("left.over")).isEqualTo(1);
            before.close();
            reads.unsubscribe("r");
            assertThat(subscriptions("left.over")).isZero();
            moving.awaitMoved("left.over", moving.move("left.over"));
        }
    }

    private static void refusedToUnsubscribe(JMSContext context, String name) {
        assertThatThrownBy(() -> context.unsubscribe(name)).isInstanceOf(JMSRuntimeException.class);
    }

    private static int subscriptions(String topic) {
        return administrator.get("/subscriptions?filter=" + topic).get("items").size();
    }

    @Test
    void aDuplicateIdIsKnownInTheNextShard() {
        try (JMSContext context = broker.jms().createContext()) {
            JMSConsumer consumer = context.createConsumer(context.createTopic("once.topic"));
            JMSProducer producer = context.createProducer();
            producer.setProperty("_AMQ_DUPL_ID", "id").send(context.createTopic("once.topic"), "m 0");
            assertThat(receive(consumer, 1)).isEqualTo(texts(0, 1));
            moving.awaitMoved("once.topic", moving.move("once.topic"));
            producer.send(context.createTopic("once.topic"), "m 0");
            producer.setProperty("_AMQ_DUPL_ID", "another").send(context.createTopic("once.topic"), "m 1");
            assertThat(receive(consumer, 1)).isEqualTo(texts(1, 2));
        }
    }

    // ---- what is kept

    @Test
    void whatIsKeptStaysInTheOldHomeAndComesBeforeWhatTheNextOneHas() {
        int kept = 5_000; // more than a replay copies before its consumer has read any
        try (JMSContext publisher = broker.jms("jms.forceAsyncSend=true").createContext(JMSContext.SESSION_TRANSACTED);
                JMSContext before = client("before");
                JMSContext meanwhile = client("meanwhile");
                JMSContext now = client("now")) {
            publish(publisher, "kept.a", 0, kept / 2);
            publisher.commit();
            publish(publisher, "kept.a", kept / 2, kept);
            publisher.commit();
            Topic past = before.createTopic(PAST.formatted("kept.a"));
            JMSConsumer first = before.createDurableConsumer(past, "s");
            assertThat(receive(first, 10)).isEqualTo(texts(0, 10));
            JMSConsumer live = now.createDurableConsumer(now.createTopic("kept.a"), "s");
            int to = moving.move("kept.a");
            publish(publisher, "kept.a", kept, kept + 10);
            publisher.commit();
            assertThat(receive(live, 10)).isEqualTo(texts(kept, kept + 10));
            JMSConsumer second = meanwhile.createDurableConsumer(past, "s");
            publish(publisher, "kept.a", kept + 10, kept + 20);
            publisher.commit();
            assertThat(receive(first, kept + 10)).isEqualTo(texts(10, kept + 20));
            assertThat(receive(second, kept + 20)).isEqualTo(texts(0, kept + 20));
            assertThat(receive(live, 10)).isEqualTo(texts(kept + 10, kept + 20));
            assertThat(moving.isMoving("kept.a")).isTrue();
            assertThat(moving.shown("kept.a").get("retained").get("messages").asInt())
                    .isEqualTo(kept + 20);
            administrator.refused(409, "RT-4629", "DELETE", "/addresses/kept.a?force=true", null);
            administrator.make("/policies/kept.a", "{'retentionAgeMs': 0}");
            moving.awaitMoved("kept.a", to);
            publish(publisher, "kept.a", kept + 20, kept + 21);
            publisher.commit();
            for (JMSConsumer each : List.of(first, second, live)) {
                assertThat(receive(each, 1)).isEqualTo(texts(kept + 20, kept + 21));
            }
        }
    }
}
