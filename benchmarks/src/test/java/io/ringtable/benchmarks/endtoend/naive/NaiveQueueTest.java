package io.ringtable.benchmarks.endtoend.naive;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.benchmarks.endtoend.driver.Destination;
import io.ringtable.benchmarks.endtoend.driver.Driver;
import io.ringtable.benchmarks.engine.Databases;
import io.ringtable.benchmarks.engine.TestEngines;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The naive queue is a queue: with many clients at once, every message comes to whom it is for, and only once. */
class NaiveQueueTest {
    private static Databases databases; // one server for all tests

    private static final int PUBLISHERS = 3;
    private static final int EACH = 200;
    private static final Duration POLL = Duration.ofMillis(1);

    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final Map<Integer, AtomicInteger> received = new ConcurrentHashMap<>(); // by the number in the body

    @BeforeAll
    static void open() {
        databases = new Databases();
    }

    @AfterAll
    static void close() {
        databases.close();
    }

    @ParameterizedTest
    @CsvSource({"sqlite, 1", "sqlite, 50", "postgresql, 1", "postgresql, 50", "sqlserver, 1", "sqlserver, 50"})
    void eachMessageOfAQueueIsConsumedOnce(String engine, int batchMax) throws Exception {
        TestEngines.require(databases, engine);
        try (NaiveQueue queue = NaiveQueue.create(databases.create(engine))) {
            Driver driver = queue.driver(batchMax, POLL, failure::set);
            run(driver, Destination.queue("queue"), List.of(), PUBLISHERS * EACH);
        }
        assertReceivedEach(1);
    }

    @ParameterizedTest
    @CsvSource({"sqlite, 1", "sqlite, 50", "postgresql, 1", "postgresql, 50", "sqlserver, 1", "sqlserver, 50"})
    void eachSubscriberGetsEachMessageAlsoBesideOneThatTakesNone(String engine, int batchMax) throws Exception {
        TestEngines.require(databases, engine);
        try (NaiveQueue queue = NaiveQueue.create(databases.create(engine))) {
            Driver driver = queue.driver(batchMax, POLL, failure::set);
            Destination topic = Destination.topic("topic");
            Driver.Receiver hanging = driver.stalled(topic, "hanging");
            run(driver, topic, List.of("one", "other"), 2 * PUBLISHERS * EACH);
            hanging.close();
        }
        assertReceivedEach(2);
    }

    @ParameterizedTest
    @CsvSource({
        "sqlite, 'journal_mode=wal, synchronous=FULL'",
        "postgresql, fsync=on",
        "postgresql, synchronous_commit=on"
    })
    void theConnectionSaysThatItIsDurable(String engine, String settings) {
        TestEngines.require(databases, engine);
        try (NaiveQueue queue = NaiveQueue.create(databases.create(engine))) {
            assertThat(queue.durability()).contains(settings);
        }
    }

    /** Publishes with threads of their own while the consumers run, until all has been received. */
    private void run(Driver driver, Destination destination, List<String> subscribers, int deliveries)
            throws Exception {
        CountDownLatch left = new CountDownLatch(deliveries);
        AtomicInteger accepted = new AtomicInteger();
        List<Driver.Receiver> receivers = new ArrayList<>();
        List<String> names = subscribers.isEmpty() ? Arrays.asList(null, null) : subscribers;
        for (String name : names) {
            receivers.add(driver.receiver(destination, name, body -> {
                received.computeIfAbsent(ByteBuffer.wrap(body).getInt(), number -> new AtomicInteger())
                        .incrementAndGet();
                left.countDown();
            }));
        }
        List<Thread> publishers = new ArrayList<>();
        for (int i = 0; i < PUBLISHERS; i++) {
            int from = i * EACH;
            publishers.add(new Thread(() -> publish(driver, destination, from, accepted)));
        }
        publishers.forEach(Thread::start);
        for (Thread publisher : publishers) {
            publisher.join();
        }
        boolean all = left.await(60, TimeUnit.SECONDS);
        receivers.forEach(Driver.Receiver::close);
        assertThat(failure).hasNullValue();
        assertThat(all).as("received in time").isTrue();
        assertThat(accepted).hasValue(PUBLISHERS * EACH);
    }

    private void publish(Driver driver, Destination destination, int from, AtomicInteger accepted) {
        try (Driver.Sender sender = driver.sender(destination)) {
            for (int number = from; number < from + EACH - 1; number++) {
                sender.send(body(number), accepted::incrementAndGet);
            }
            sender.flush();
            sender.sendAndWait(body(from + EACH - 1));
            accepted.incrementAndGet();
        } catch (RuntimeException e) {
            failure.set(e);
        }
    }

    private static byte[] body(int number) {
        return ByteBuffer.allocate(100).putInt(number).array();
    }

    private void assertReceivedEach(int times) {
        assertThat(received.entrySet().stream()
                        .collect(Collectors.toMap(
                                Map.Entry::getKey, e -> e.getValue().get())))
                .isEqualTo(IntStream.range(0, PUBLISHERS * EACH).boxed().collect(Collectors.toMap(n -> n, n -> times)));
    }
}
