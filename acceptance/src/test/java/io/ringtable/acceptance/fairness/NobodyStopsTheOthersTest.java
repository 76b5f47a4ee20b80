package io.ringtable.acceptance.fairness;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.BrokerSettings;
import io.ringtable.acceptance.harness.Engine;
import io.ringtable.acceptance.harness.Jms;
import io.ringtable.acceptance.harness.Sends;
import jakarta.jms.JMSException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.apache.qpid.protonj2.client.Client;
import org.apache.qpid.protonj2.client.Connection;
import org.apache.qpid.protonj2.client.Delivery;
import org.apache.qpid.protonj2.client.DeliveryState;
import org.apache.qpid.protonj2.client.Message;
import org.apache.qpid.protonj2.client.Receiver;
import org.apache.qpid.protonj2.client.ReceiverOptions;
import org.apache.qpid.protonj2.client.Sender;
import org.apache.qpid.protonj2.client.Tracker;
import org.apache.qpid.protonj2.client.exceptions.ClientException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Writes with one anonymous producer to a queue and to a topic at its quota, whose one subscription stands still. The
 * queue's consumer has to get its messages as fast as without the topic. {@code acceptance/fairness.sh} measures that
 * over many rounds; this test only sees that nothing stands still.
 * <p>
 * The client is protonj2's, which takes outcomes in any order. For an outcome out of order Qpid JMS looks through
 * everything that it has sent. So its own rate falls with the number of waiting messages.
 */
@Isolated("it compares rates")
class NobodyStopsTheOthersTest {
    private static final int QUOTA = 10_000;
    private static final int TO_THE_FULL_ONE = 100; // one send in so many
    private static final int UNDER_WAY = 1_000; // sent and not yet received: the free queue stays far below its quota
    private static final int WARM_UP = 2;
    private static final int FEW = 3;
    /** Blocks of four rounds, after those to warm up. One block scatters from half to twice the rate. */
    private static final int BLOCKS = Integer.getInteger("fairness.blocks", FEW);

    private static final int PER_ROUND = BLOCKS > FEW ? 30_000 : 15_000;
    /** The promise; held where more than a few blocks are measured. */
    private static final double KEPT = 0.9;
    /** All that a few blocks can tell: the queue is not stopped. A busy machine alone may take two thirds of a rate. */
    private static final double NOT_STOPPED = 0.1;

    @RegisterExtension
    final Bench bench = new Bench();

    private final List<Tracker> sentToTheFullOne = new ArrayList<>();

    @Test
    void aQueueKeepsItsRateBesideAFullTopicOnOneAnonymousLink() throws Exception {
        UnaryOperator<BrokerSettings> store = Engine.any().on(bench);
        BrokerProcess broker = bench.broker(settings -> store.apply(settings)
                        .jvm("-Xmx512m")
                        .withDefaultRing()
                        .with("ringtable.commit.quota-messages", QUOTA))
                .start();
        fillTheTopic(broker);
        URI uri = URI.create(broker.amqpUrl());

        try (Client client = Client.create();
                Connection sending = client.connect(uri.getHost(), uri.getPort());
                Connection receiving = client.connect(uri.getHost(), uri.getPort());
                Sender anonymous = sending.openAnonymousSender();
                Receiver consumer =
                        receiving.openReceiver("queue://free", new ReceiverOptions().creditWindow(UNDER_WAY))) {
            double alone = 0;
            double beside = 0;
            double[] kept = new double[BLOCKS];
            for (int block = 0; block < WARM_UP + BLOCKS; block++) {
                // Alone, beside, beside, alone: a rate that rises, or falls from round to round, favours neither.
                double first = seconds(anonymous, consumer, false);
                double second = seconds(anonymous, consumer, true);
                double third = seconds(anonymous, consumer, true);
                double fourth = seconds(anonymous, consumer, false);
                if (block >= WARM_UP) {
                    alone += first + fourth;
                    beside += second + third;
                    kept[block - WARM_UP] = (first + fourth) / (second + third);
                }
            }

            double messages = 2.0 * PER_ROUND * BLOCKS;
            MedianInterval interval = MedianInterval.of(kept);
            String rates = String.format(
                    Locale.ROOT,
                    "alone %.0f msg/s, beside a full topic %.0f msg/s; kept, by %d blocks of 4 rounds: %s",
                    messages / alone,
                    messages / beside,
                    BLOCKS,
                    interval);
            System.out.println(Arrays.stream(kept)
                    .mapToObj(ratio -> String.format(Locale.ROOT, "%.3f", ratio))
                    .collect(Collectors.joining(" ", "each block kept ", "")));
            System.out.println(rates);
            if (BLOCKS > FEW) {
                assertThat(interval.about(KEPT))
                        .as(
                                "a rate of at least %s of that alone; where it is UNDECIDED, more blocks decide. %s",
                                KEPT, rates)
                        .isEqualTo(MedianInterval.Verdict.KEPT);
            } else {
                assertThat(interval.median()).as(rates).isGreaterThanOrEqualTo(NOT_STOPPED);
            }
            for (Tracker tracker : sentToTheFullOne) {
                assertThat(tracker.awaitSettlement(1, TimeUnit.MINUTES)
                                .remoteState()
                                .getType())
                        .isEqualTo(DeliveryState.Type.REJECTED);
            }
        }
    }

    private static void fillTheTopic(BrokerProcess broker) throws JMSException {
        try (jakarta.jms.Connection connection = Jms.factory(broker.amqpUrl()).createConnection()) {
            connection.setClientID("stalled");
            Session session = connection.createSession();
            Topic topic = session.createTopic("full");
            session.createDurableConsumer(topic, "stalled").close();
            MessageProducer producer = session.createProducer(topic);
            Sends sends = new Sends();
            for (int n = 0; n < QUOTA; n++) {
                producer.send(session.createTextMessage("fills " + n), sends);
            }
            sends.await(QUOTA);
        }
    }

    /** A round. @return how long it took until all had arrived */
    private double seconds(Sender anonymous, Receiver consumer, boolean besideTheFullOne) throws Exception {
        Semaphore room = new Semaphore(UNDER_WAY);
        AtomicReference<Exception> failed = new AtomicReference<>();
        Thread sender = new Thread(() -> {
            try {
                send(anonymous, room, besideTheFullOne);
            } catch (ClientException e) {
                failed.set(e);
            }
        });
        long began = System.nanoTime();
        sender.start();
        for (int n = 0; n < PER_ROUND; n++) {
            Delivery delivery = consumer.receive(60, TimeUnit.SECONDS);
            assertThat(delivery)
                    .as("message %d of the round; its sender: %s", n, failed)
                    .isNotNull();
            delivery.message(); // the client keeps the buffer of what nobody reads
            room.release();
        }
        long ended = System.nanoTime();
        sender.join();
        assertThat(failed).hasNullValue();
        return (ended - began) / 1e9;
    }

    private void send(Sender anonymous, Semaphore room, boolean besideTheFullOne) throws ClientException {
        for (int n = 0; n < PER_ROUND; n++) {
            if (besideTheFullOne && n % TO_THE_FULL_ONE == 0) {
                sentToTheFullOne.add(anonymous.send(
                        Message.create("waits").to("topic://full").durable(true)));
            }
            room.acquireUninterruptibly();
            anonymous.send(Message.create("goes on " + n).to("queue://free").durable(true));
        }
    }
}
