package io.ringtable.acceptance.fairness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.Jms;
import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * One topic is at its quota, because its one subscription stands still. One anonymous producer writes to it and to a queue;
 * the queue's consumer has to get its messages as fast as without the topic. What counts is when they arrive: Qpid JMS
 * reports outcomes in the order of the sends, so the ones that wait hold up the reports of the others, not the others.
 */
class NobodyStopsTheOthersTest {
    private static final int QUOTA = 2_000;
    private static final int PER_ROUND = 10_000;
    private static final int TO_THE_FULL_ONE = 100; // one send in so many
    private static final int UNDER_WAY =
            QUOTA / 2; // sent and not yet received: the free queue stays below its own quota
    private static final int WARM_UP = 2;
    private static final int ROUNDS = 11; // of each kind, after those to warm up
    private static final double KEPT = 0.9;

    @RegisterExtension
    final Bench bench = new Bench();

    @Test
    void aQueueKeepsItsRateBesideAFullTopicOnOneAnonymousLink() throws Exception {
        BrokerProcess broker = bench.broker(settings -> settings.jvm("-Xmx512m")
                        .with("ringtable.commit.quota-messages", QUOTA)
                        // The client's lag (below) is over when the rates are taken.
                        .with("ringtable.amqp.parked-timeout", "200ms"))
                .start();
        fillTheTopic(broker);

        try (Connection sending = Jms.factory(broker.amqpUrl()).createConnection();
                Connection receiving = Jms.factory(broker.amqpUrl()).createConnection()) {
            Session session = sending.createSession();
            Topic full = session.createTopic("full");
            Queue free = session.createQueue("free");
            MessageProducer anonymous = session.createProducer(null);
            Session reading = receiving.createSession();
            MessageConsumer consumer = reading.createConsumer(free);
            receiving.start();
            AtomicInteger refused = new AtomicInteger();

            List<Double> alone = new ArrayList<>();
            List<Double> beside = new ArrayList<>();
            List<Double> kept =
                    new ArrayList<>(); // each round against the one before it: rates rise as code is compiled
            for (int round = 0; round < WARM_UP + ROUNDS; round++) {
                double aloneRate = round(session, anonymous, free, null, consumer, refused);
                double besideRate = round(session, anonymous, free, full, consumer, refused);
                if (round >= WARM_UP) {
                    alone.add(aloneRate);
                    beside.add(besideRate);
                    kept.add(besideRate / aloneRate);
                }
            }

            String rates = String.format(
                    "alone %.0f msg/s, beside a full topic %.0f msg/s, kept %.2f (medians of %d)",
                    median(alone), median(beside), median(kept), ROUNDS);
            System.out.println(rates);
            // One round scatters by a third on a machine of two cores: it has to be below in most of them to be below.
            assertThat(upperQuartile(kept)).as(rates).isGreaterThanOrEqualTo(KEPT);
            assertThatThrownBy(() -> anonymous.send(full, session.createTextMessage("one too many")))
                    .isInstanceOf(JMSException.class)
                    .hasMessageContaining("amqp:resource-limit-exceeded")
                    .hasMessageContaining("full");
            // The client looks through all it has sent for each outcome that comes before an earlier one's, so it lags.
            Awaitility.await()
                    .atMost(Duration.ofMinutes(2))
                    .untilAsserted(() -> assertThat(refused.get())
                            .as("sends to the full topic that were refused")
                            .isPositive());
        }
    }

    private static void fillTheTopic(BrokerProcess broker) throws JMSException {
        try (Connection connection = Jms.factory(broker.amqpUrl()).createConnection()) {
            connection.setClientID("stalled");
            Session session = connection.createSession();
            Topic topic = session.createTopic("full");
            session.createDurableConsumer(topic, "stalled").close();
            MessageProducer producer = session.createProducer(topic);
            for (int n = 0; n < QUOTA; n++) {
                producer.send(session.createTextMessage("fills " + n));
            }
        }
    }

    /** @param full also written to, or null. @return messages per second that arrived */
    private static double round(
            Session session,
            MessageProducer anonymous,
            Queue free,
            Topic full,
            MessageConsumer consumer,
            AtomicInteger refused)
            throws Exception {
        CompletionListener listener = new CompletionListener() {
            @Override
            public void onCompletion(Message message) {
                // only refusals are counted
            }

            @Override
            public void onException(Message message, Exception exception) {
                refused.incrementAndGet();
            }
        };
        Semaphore room = new Semaphore(UNDER_WAY);
        Thread sender = new Thread(() -> {
            try {
                for (int n = 0; n < PER_ROUND; n++) {
                    if (full != null && n % TO_THE_FULL_ONE == 0) {
                        anonymous.send(full, session.createTextMessage("waits"), listener);
                    }
                    room.acquireUninterruptibly();
                    anonymous.send(free, session.createTextMessage("goes on " + n), listener);
                }
            } catch (JMSException e) {
                throw new IllegalStateException(e);
            }
        });
        long began = System.nanoTime();
        sender.start();
        for (int n = 0; n < PER_ROUND; n++) {
            assertThat(consumer.receive(30_000))
                    .as("message %d of the round", n)
                    .isNotNull();
            room.release();
        }
        long ended = System.nanoTime();
        sender.join();
        return PER_ROUND * 1e9 / (ended - began);
    }

    private static double upperQuartile(List<Double> values) {
        List<Double> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        return sorted.get(sorted.size() * 3 / 4);
    }

    private static double median(List<Double> values) {
        List<Double> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        return sorted.get(sorted.size() / 2);
    }
}
