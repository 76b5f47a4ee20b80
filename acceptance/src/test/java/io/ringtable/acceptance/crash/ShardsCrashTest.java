package io.ringtable.acceptance.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.Engine;
import io.ringtable.acceptance.harness.Jms;
import io.ringtable.acceptance.harness.Pace;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Kills a broker with six shards at random moments, while the transactions of twelve queues are under way. Messages
 * move to the expiry queue meanwhile, which has a part in each shard. The queue of groups has parts in three. Every
 * message is accounted for: nothing is lost, nothing comes twice but flagged, nothing before its time, groups in order.
 * {@code -Dcrash.seed=…} repeats a run's moments.
 */
class ShardsCrashTest {
    private static final int SHARDS = 6;
    private static final int PARTS = 3; // of the queue of groups
    private static final int OTHERS = 8; // queues beside those that JmsCrashTest has
    private static final int EXPIRE = 50; // messages of each queue for the expiry queue
    private static final int KILLS = Integer.getInteger("crash.kills", 2);
    private static final long SEED = Long.getLong("crash.seed", System.nanoTime());
    private static final int BETWEEN_KILLS_MS = 2_000;
    private static final int WORK = 20 * SHARDS; // committed transactions, from one start to the next kill
    private static final Duration MOST = Duration.ofMinutes(3);
    private static final Duration LOOK = Duration.ofMillis(100); // each asks the broker twice, or adds all ledgers up

    @RegisterExtension
    final Bench bench = new Bench();

    private final Map<String, Ledger> ledgers = new TreeMap<>(); // by queue: no transaction has two
    private final Random random = new Random(SEED);

    @ParameterizedTest
    @EnumSource(Engine.class)
    void everyShardKeepsWhatItsQueuesOwe(Engine engine) throws Exception {
        BrokerProcess broker = bench.broker(settings -> engine.on(bench)
                        .apply(settings)
                        .with("ringtable.shards", SHARDS)
                        .with("ringtable.dispatch.addresses[0].match", Publisher.GROUPED)
                        .with("ringtable.dispatch.addresses[0].parts", PARTS)
                        .with("ringtable.dispatch.expiry-queue", "expired")
                        .with("ringtable.dispatch.redelivery-delay", "150ms")
                        .with("ringtable.dispatch.deliveries-max", 1_000_000))
                .start();
        List<Client> publishers = new ArrayList<>();
        List<Client> consumers = new ArrayList<>();
        queues().forEach(queue -> {
            Ledger ledger = new Ledger();
            ledgers.put(queue, ledger);
            publishers.add(new Publisher(broker.amqpUrl(), List.of(queue), ledger, random.nextLong()));
            if (queue.equals(Publisher.GROUPED)) {
                for (int i = 0; i < PARTS; i++) { // two messages of a transaction may be of two parts
                    consumers.add(new Consumer(broker.amqpUrl(), queue, 1, ledger, random.nextLong()));
                }
            } else {
                consumers.add(new Consumer(broker.amqpUrl(), queue, ledger, random.nextLong()));
            }
        });
        TreeSet<String> expiring = publishWhatExpires(broker);
        publishers.forEach(Client::start);
        consumers.forEach(Client::start);
        try {
            for (int kill = 0; kill < KILLS; kill++) {
                awaitWork();
                haveItExpire(broker);
                Pace.pass(Duration.ofMillis(random.nextInt(BETWEEN_KILLS_MS)));
                broker.kill();
                broker.start();
            }
            awaitWork();
            publishers.forEach(Client::end);
            ledgers.forEach((queue, ledger) -> await("everything in " + queue)
                    .atMost(MOST)
                    .pollInterval(LOOK)
                    .until(() -> ledger.isComplete(queue)));
        } finally {
            publishers.forEach(Client::end);
            consumers.forEach(Client::end);
        }
        haveItExpire(broker);
        assertThat(expired(broker, expiring.size()))
                .as("crash.seed=%d: what the expiry queue has of all shards", SEED)
                .containsExactlyElementsOf(expiring);
        assertThat(broker.http("/api/v1/addresses/" + Publisher.GROUPED).body())
                .as("shards of the queue of groups")
                .containsPattern("\"shards\":\\[\\d(,\\d){" + (PARTS - 1) + "}\\]");
        // A transaction without an answer has happened or not.
        Consumer.drain(broker, queues(), ledgers::get, MOST);

        System.out.printf("%s: crash.seed %d, %d kills, %d transactions%n", engine, SEED, KILLS, committed());
        ledgers.forEach((queue, ledger) -> assertThat(ledger.violations(List.of(queue)))
                .as("crash.seed=%d\n%s", SEED, ledger.summary())
                .isEmpty());
    }

    private static List<String> queues() {
        List<String> queues = new ArrayList<>(Publisher.QUEUES);
        for (int i = 0; i < OTHERS; i++) {
            queues.add("other." + i);
        }
        return queues;
    }

    private static List<String> expiringQueues() {
        return queues().stream().map(queue -> "brief." + queue).toList();
    }

    /** Publishes messages that nobody has consumed in time. @return their texts */
    private static TreeSet<String> publishWhatExpires(BrokerProcess broker) throws JMSException {
        TreeSet<String> texts = new TreeSet<>();
        try (Connection connection = Jms.factory(broker.amqpUrl()).createConnection()) {
            Session session = connection.createSession();
            for (String queue : expiringQueues()) {
                MessageProducer producer = session.createProducer(session.createQueue(queue));
                producer.setTimeToLive(1);
                for (int i = 0; i < EXPIRE; i++) {
                    String text = queue + " " + i;
                    producer.send(session.createTextMessage(text));
                    texts.add(text);
                }
            }
        }
        return texts;
    }

    /** Looks for messages, and so has the broker move those whose time is over. */
    private static void haveItExpire(BrokerProcess broker) throws JMSException {
        try (Connection connection = Jms.factory(broker.amqpUrl()).createConnection()) {
            connection.start();
            Session session = connection.createSession();
            for (String queue : expiringQueues()) {
                try (MessageConsumer consumer = session.createConsumer(session.createQueue(queue))) {
                    assertThat(consumer.receiveNoWait()).isNull();
                }
            }
        }
    }

    /** Consumes the expiry queue, of which each shard has a part. @return the texts, sorted, as often as they came */
    private static List<String> expired(BrokerProcess broker, int count) throws JMSException {
        List<String> texts = new ArrayList<>();
        try (Connection connection = Jms.factory(broker.amqpUrl()).createConnection()) {
            connection.start();
            Session session = connection.createSession();
            MessageConsumer consumer = session.createConsumer(session.createQueue("expired"));
            await("what has expired")
                    .atMost(MOST)
                    .pollInterval(LOOK)
                    .pollInSameThread()
                    .until(() -> {
                        for (Message next; (next = consumer.receiveNoWait()) != null; ) {
                            texts.add(next.getBody(String.class));
                        }
                        return texts.size() >= count && broker.owed("expired") == 0;
                    });
        }
        return texts.stream().sorted().toList();
    }

    private int committed() {
        return ledgers.values().stream().mapToInt(Ledger::committed).sum();
    }

    /** A slow machine takes longer; a kill is always in the middle of work. */
    private void awaitWork() {
        int before = committed();
        await("work between two kills").atMost(MOST).pollInterval(LOOK).until(() -> committed() > before + WORK);
    }
}
