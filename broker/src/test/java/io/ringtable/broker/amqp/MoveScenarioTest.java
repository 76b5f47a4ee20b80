package io.ringtable.broker.amqp;

import static io.ringtable.broker.amqp.MovingAddresses.WAIT_MS;
import static io.ringtable.broker.amqp.MovingAddresses.receive;
import static io.ringtable.broker.amqp.MovingAddresses.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.TestSettings;
import jakarta.jms.CompletionListener;
import jakarta.jms.Destination;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSProducer;
import jakarta.jms.Message;
import jakarta.jms.QueueBrowser;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Queues that move to another shard while clients of Qpid JMS use them. Each test has a queue of its own. */
@Timeout(120)
class MoveScenarioTest {
    private static final int SHARDS = 3;

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
                                "ringtable.dispatch.addresses[0].match", "bank.#",
                                "ringtable.dispatch.addresses[0].affinity", "bank")
                        .with(
                                "ringtable.dispatch.addresses[1].match",
                                "parted.#",
                                "ringtable.dispatch.addresses[1].parts",
                                2)
                        .with(
                                "ringtable.dispatch.addresses[2].match",
                                "small.#",
                                "ringtable.dispatch.addresses[2].messages-max",
                                10));
        administrator = Administrator.of(broker, "");
        moving = new MovingAddresses(broker, administrator, SHARDS);
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    private static void send(JMSContext context, String queue, int from, int to) {
        JMSProducer producer = context.createProducer();
        Destination target = context.createQueue(queue);
        for (int i = from; i < to; i++) {
            producer.send(target, "m " + i);
        }
    }

    @Test
    void anEmptyQueueMovesAtOnceAndItsLinksStay() {
        try (JMSContext context = broker.jms().createContext()) {
            JMSConsumer consumer = context.createConsumer(context.createQueue("empty"));
            send(context, "empty", 0, 1);
            assertThat(receive(consumer, 1)).containsExactly("m 0");
            int to = moving.move("empty");
            moving.awaitMoved("empty", to);
            send(context, "empty", 1, 3);
            assertThat(receive(consumer, 2)).containsExactly("m 1", "m 2");
            assertThat(moving.homeOf("empty")).isEqualTo(to);
            moving.awaitMoved("empty", moving.move("empty"));
            send(context, "empty", 3, 5);
            assertThat(receive(consumer, 2)).containsExactly("m 3", "m 4");
        }
    }

    @Test
    void whatIsLeftInTheOldShardComesFirst() throws Exception {
        try (JMSContext context = broker.jms().createContext()) {
            send(context, "left", 0, 100);
            int from = moving.homeOf("left");
            int to = moving.move("left");
            send(context, "left", 100, 150);
            JsonNode shown = administrator.get("/addresses/left");
            assertThat(shown.get("moving").toString()).isEqualTo("{\"from\":" + from + ",\"to\":" + to + "}");
            assertThat(shown.get("messages").asInt()).isEqualTo(150);
            assertThat(administrator.get("/addresses?filter=left").get("items").get(0))
                    .isEqualTo(shown);
            try (QueueBrowser browser = context.createBrowser(context.createQueue("left"))) {
                int seen = 0;
                for (Enumeration<?> all = browser.getEnumeration(); all.hasMoreElements(); all.nextElement()) {
                    seen++;
                }
                assertThat(seen).isEqualTo(150);
            }
            JMSConsumer consumer = context.createConsumer(context.createQueue("left"));
            assertThat(receive(consumer, 150)).isEqualTo(texts(0, 150));
            moving.awaitMoved("left", to);
            assertThat(consumer.receiveNoWait()).isNull();
        }
    }

    /** Publishers and consumers of one run, each publisher with many messages on its way. */
    private static final class Load {
        final String queue;
        final Semaphore room = new Semaphore(300); // messages that nobody has received yet
        final AtomicBoolean enough = new AtomicBoolean();
        final Map<Integer, List<Integer>> got = new ConcurrentHashMap<>(); // numbers, by publisher
        final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

        Load(String queue, int publishers) {
            this.queue = queue;
            IntStream.range(0, publishers)
                    .forEach(each -> got.put(each, Collections.synchronizedList(new ArrayList<>())));
        }

        void note(Message message) {
            try {
                got.get(message.getIntProperty("publisher")).add(message.getIntProperty("number"));
            } catch (JMSException e) {
                failures.add(e);
            }
            room.release();
        }

        int received() {
            return got.values().stream().mapToInt(List::size).sum();
        }

        /** @return how many messages are stored */
        int publish(int publisher) throws Exception {
            int number = 0;
            Semaphore underWay = new Semaphore(100);
            try (JMSContext context = broker.jms().createContext()) {
                JMSProducer producer = context.createProducer().setAsync(new CompletionListener() {
                    @Override
                    public void onCompletion(Message message) {
                        underWay.release();
                    }

                    @Override
                    public void onException(Message message, Exception exception) {
                        failures.add(exception);
                        underWay.release();
                    }
                });
                jakarta.jms.Destination target = context.createQueue(queue);
                for (; !enough.get(); number++) {
                    room.acquire();
                    underWay.acquire();
                    producer.setProperty("publisher", publisher)
                            .setProperty("number", number)
                            .send(target, "x".repeat(number % 50 == 0 ? 200_000 : 10));
                }
                underWay.acquire(100);
            }
            return number;
        }
    }

    @Test
    void nothingIsLostDoubledOrOvertakenWhileAQueueMovesUnderLoad() throws Exception {
        Load load = run("busy", 1);
        load.got.forEach((publisher, numbers) -> assertThat(numbers)
                .as("of publisher " + publisher)
                .isEqualTo(IntStream.range(0, numbers.size()).boxed().toList()));
    }

    @Test
    void consumersThatShareTheQueueGetEachMessageOnce() throws Exception {
        Load load = run("shared", 3);
        load.got.forEach(
                (publisher, numbers) -> assertThat(numbers.stream().sorted().toList())
                        .as("of publisher " + publisher)
                        .isEqualTo(IntStream.range(0, numbers.size()).boxed().toList()));
    }

    /** Moves a queue five times while three publishers and so many consumers use it. */
    private static Load run(String queue, int consumers) throws Exception {
        int publishers = 3;
        Load load = new Load(queue, publishers);
        ExecutorService threads = Executors.newCachedThreadPool();
        List<JMSContext> contexts = new ArrayList<>();
        try {
            for (int i = 0; i < consumers; i++) {
                JMSContext context = broker.jms("jms.prefetchPolicy.all=50").createContext();
                contexts.add(context);
                context.createConsumer(context.createQueue(queue)).setMessageListener(load::note);
            }
            List<Future<Integer>> sent = new ArrayList<>();
            for (int i = 0; i < publishers; i++) {
                int number = i;
                sent.add(threads.submit(() -> load.publish(number)));
            }
            for (int i = 0; i < 5; i++) {
                int before = load.received();
                Awaitility.await().until(() -> load.received() > before + 500);
                moving.awaitMoved(queue, moving.move(queue));
            }
            load.enough.set(true);
            int all = 0;
            for (Future<Integer> each : sent) {
                all += each.get();
            }
            int published = all;
            Awaitility.await().until(() -> load.received() >= published);
            assertThat(load.received()).isEqualTo(published);
            assertThat(load.failures).isEmpty();
        } finally {
            load.enough.set(true);
            load.room.release(1_000);
            threads.shutdown();
            contexts.forEach(JMSContext::close);
        }
        return load;
    }

    @Test
    void aDuplicateIdIsKnownInTheNextShard() {
        try (JMSContext context = broker.jms().createContext()) {
            JMSConsumer consumer = context.createConsumer(context.createQueue("once"));
            JMSProducer producer = context.createProducer();
            Destination queue = context.createQueue("once");
            for (int i = 0; i < 10; i++) {
                producer.setProperty("_AMQ_DUPL_ID", "id " + i).send(queue, "m " + i);
            }
            assertThat(receive(consumer, 10)).isEqualTo(texts(0, 10));
            moving.awaitMoved("once", moving.move("once"));
            for (int i = 0; i < 12; i++) {
                producer.setProperty("_AMQ_DUPL_ID", "id " + i).send(queue, "m " + i);
            }
            assertThat(receive(consumer, 2)).containsExactly("m 10", "m 11");
            assertThat(consumer.receiveNoWait()).isNull();
        }
    }

    @Test
    void aDelayedMessageHoldsUpNothingAndEndsTheMoveWhenItIsDue() {
        try (JMSContext context = broker.jms().createContext()) {
            Destination queue = context.createQueue("later");
            JMSConsumer consumer = context.createConsumer(queue);
            context.createProducer().setDeliveryDelay(3_000).send(queue, "delayed");
            send(context, "later", 0, 1);
            assertThat(receive(consumer, 1)).containsExactly("m 0");
            int to = moving.move("later");
            send(context, "later", 1, 3);
            assertThat(receive(consumer, 3)).containsExactly("m 1", "m 2", "delayed");
            moving.awaitMoved("later", to);
        }
    }

    @Test
    void aTransactionThatIsOpenOverTheMoveIsRolledBackAndTheNextOneCommits() {
        try (JMSContext context = broker.jms("jms.forceSyncSend=true").createContext(JMSContext.SESSION_TRANSACTED);
                JMSContext reading = broker.jms().createContext()) {
            JMSConsumer consumer = reading.createConsumer(reading.createQueue("work"));
            send(context, "work", 0, 2);
            context.commit();
            assertThat(receive(consumer, 2)).hasSize(2);
            send(context, "work", 2, 4);
            moving.awaitMoved("work", moving.move("work"));
            assertThatThrownBy(context::commit).hasMessageContaining("amqp:transaction:rollback");
            send(context, "work", 2, 4);
            context.commit();
            assertThat(receive(consumer, 2)).containsExactly("m 2", "m 3");
            assertThat(consumer.receiveNoWait()).isNull();
        }
    }

    @Test
    void aPublisherThatWaitsForRoomGoesOnInTheNextShard() throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        try (JMSContext context = broker.jms().createContext();
                JMSContext waiting = broker.jms().createContext()) {
            send(context, "small.one", 0, 10);
            Future<?> behind = threads.submit(() -> send(waiting, "small.one", 10, 20));
            int to = moving.move("small.one");
            behind.get();
            JMSConsumer consumer = context.createConsumer(context.createQueue("small.one"));
            assertThat(receive(consumer, 20)).isEqualTo(texts(0, 20));
            moving.awaitMoved("small.one", to);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void messagesOfTheAnonymousRelayFollow() {
        try (JMSContext context = broker.jms("amqp.traceFrames=false").createContext()) {
            JMSConsumer consumer = context.createConsumer(context.createQueue("relayed"));
            JMSProducer producer = context.createProducer(); // publishes without a target
            producer.send(context.createQueue("relayed"), "m 0");
            int to = moving.move("relayed");
            producer.send(context.createQueue("relayed"), "m 1");
            assertThat(receive(consumer, 2)).containsExactly("m 0", "m 1");
            moving.awaitMoved("relayed", to);
        }
    }

    @Test
    void whatCannotMoveIsRefused() {
        try (JMSContext context = broker.jms().createContext()) {
            for (String queue : List.of("plain", "parted.a", "bank.a", "bank.b", "full")) {
                send(context, queue, 0, 1);
            }
            refused(404, "RT-7713", "nobody?shard=0");
            refused(404, "RT-4622", "plain?shard=" + SHARDS);
            refused(400, "RT-4633", "plain");
            refused(409, "RT-4624", "plain?shard=" + moving.homeOf("plain"));
            refused(409, "RT-4625", "parted.a?shard=2");
            refused(409, "RT-4628", "DLQ?shard=2");
            refused(409, "RT-4630", "bank.a?shard=" + moving.elsewhere("bank.a"));
            int to = moving.move("full");
            refused(409, "RT-4629", "full?shard=" + (to + 1) % SHARDS);
            assertThat(administrator.refused(409, "RT-4629", "DELETE", "/addresses/full?force=true", null))
                    .contains("purge");
            administrator.ask(202, "POST", "/addresses/full/purge", null);
            moving.awaitMoved("full", to);
            administrator.ask(
                    202, "POST", "/addresses/bank.a/move?force=true&shard=" + moving.elsewhere("bank.a"), null);
            context.createConsumer(context.createQueue("bank.a")).receiveBody(String.class, WAIT_MS);
        }
    }

    private static void refused(int status, String code, String query) {
        int at = query.indexOf('?');
        String path = at < 0 ? query + "/move" : query.substring(0, at) + "/move" + query.substring(at);
        administrator.refused(status, code, "POST", "/addresses/" + path, null);
    }
}
