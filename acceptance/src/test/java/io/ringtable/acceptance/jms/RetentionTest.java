package io.ringtable.acceptance.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ringtable.acceptance.harness.BrokerSettings;
import io.ringtable.acceptance.harness.Engine;
import jakarta.jms.Connection;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Tests that durable subscriptions which begin at a time in the past get the messages that their topic has kept by its
 * policy.
 */
class RetentionTest extends OnEachEngine {
    private static final String ALL = "?since=1970-01-01T00:00:00Z";
    private static final int KILLS = 3;
    private static final Duration TICK = Duration.ofMillis(1); // what times of publication are told apart by
    private static final Duration LOOK = Duration.ofMillis(200);
    private static final Duration COMES = Duration.ofMillis(COMES_MS);

    RetentionTest(Engine engine) {
        super(engine);
    }

    /** A small ring, so that most of what is kept has left it. */
    @Override
    BrokerSettings settings(BrokerSettings settings) {
        return settings.with("ringtable.ring.capacity", 8_192)
                .with("ringtable.commit.batch-messages-max", 2_000)
                .with("ringtable.dispatch.addresses[0].match", "kept.#")
                .with("ringtable.dispatch.addresses[0].retention-age", "1h")
                .with("ringtable.dispatch.addresses[1].match", "short.#")
                .with("ringtable.dispatch.addresses[1].retention-age", "2s")
                .with("ringtable.dispatch.addresses[2].match", "small.#")
                .with("ringtable.dispatch.addresses[2].retention-bytes", "10KB");
    }

    private static List<String> numbers(int from, int to) {
        return IntStream.range(from, to).mapToObj(Integer::toString).toList();
    }

    private void publishInTransactions(String topic, int from, int to) throws JMSException {
        try (Connection connection = connect()) {
            Session session = connection.createSession(Session.SESSION_TRANSACTED);
            MessageProducer producer = session.createProducer(session.createTopic(topic));
            for (int i = from; i < to; i++) {
                producer.send(session.createTextMessage(Integer.toString(i)));
                if (i % 1_000 == 999) {
                    session.commit();
                }
            }
            session.commit();
        }
    }

    /** Everything that a new durable subscription gets first. */
    private List<String> replay(String topic, String name, int count) {
        try (JMSContext context = client("client-of-" + name)) {
            return take(context.createDurableConsumer(context.createTopic(topic), name), count);
        }
    }

    @Test
    void whatOthersHaveConsumedIsServedAgainAndThenWhatIsPublished() {
        try (JMSContext early = client("early");
                JMSContext late = client("late")) {
            JMSConsumer first = early.createDurableConsumer(early.createTopic("kept.a"), "first");
            publish("kept.a", numbers(0, 500));
            assertThat(take(first, 500)).isEqualTo(numbers(0, 500));

            JMSConsumer second = late.createDurableConsumer(late.createTopic("kept.a" + ALL), "second");
            assertThat(take(second, 500)).isEqualTo(numbers(0, 500));
            publish("kept.a", numbers(500, 600));
            assertThat(take(second, 100)).isEqualTo(numbers(500, 600));
            assertThat(take(first, 100)).as("copies are not for others").isEqualTo(numbers(500, 600));
            assertThat(rest(first)).isEmpty();
            assertThat(rest(second)).isEmpty();
        }
    }

    @Test
    void aMessageComesAsItWas() throws JMSException {
        try (JMSContext context = client("as-it-was")) {
            Topic topic = context.createTopic("kept.as-it-was");
            Message sent = context.createTextMessage("text");
            sent.setStringProperty("country", "PT");
            sent.setJMSCorrelationID("4711");
            context.createProducer().send(topic, sent);
            Message again = context.createDurableConsumer(context.createTopic("kept.as-it-was" + ALL), "s")
                    .receive(COMES_MS);
            assertThat(text(again)).isEqualTo("text");
            assertThat(again.getStringProperty("country")).isEqualTo("PT");
            assertThat(again.getJMSCorrelationID()).isEqualTo("4711");
            assertThat(again.getJMSMessageID()).isEqualTo(sent.getJMSMessageID());
            assertThat(again.getJMSTimestamp()).isEqualTo(sent.getJMSTimestamp());
            assertThat(again.getJMSDestination()).isEqualTo(topic);
            assertThat(again.getJMSRedelivered()).isFalse();
        }
    }

    @Test
    void itBeginsAtTheTimeThatIsAskedFor() {
        publish("kept.times", numbers(0, 50));
        long published = System.currentTimeMillis();
        await().pollInterval(TICK).until(() -> System.currentTimeMillis() > published);
        Instant since = Instant.ofEpochMilli(System.currentTimeMillis());
        publish("kept.times", numbers(50, 100));
        assertThat(replay("kept.times?since=" + since, "by-time", 50)).isEqualTo(numbers(50, 100));
        String elsewhere = since.atOffset(ZoneOffset.ofHours(2)).toString();
        assertThat(replay("topic://kept.times?since=" + elsewhere, "by-another-clock", 50))
                .isEqualTo(numbers(50, 100));
    }

    @Test
    void whatNobodySubscribedToIsKeptThroughAKillOfTheBroker() throws JMSException {
        publishInTransactions("kept.nobody", 0, 12_000);
        broker().kill();
        startAgain();
        publish("kept.nobody", numbers(12_000, 12_010));
        assertThat(replay("kept.nobody" + ALL, "nobody", 12_010)).isEqualTo(numbers(0, 12_010));
    }

    @Test
    void aBrokerThatIsKilledInTheMiddleGoesOnWithoutDuplicatesOrHoles() throws JMSException {
        publishInTransactions("kept.killed", 0, 25_000);
        int published = 25_000;
        List<String> consumed = new ArrayList<>();
        for (int kill = 0; kill < KILLS; kill++) {
            Connection connection = connect("killed");
            Session session = connection.createSession(Session.SESSION_TRANSACTED);
            MessageConsumer consumer = session.createDurableConsumer(session.createTopic("kept.killed" + ALL), "s");
            for (int portion = 0; portion < 10; portion++) {
                List<String> texts = new ArrayList<>();
                while (texts.size() < 500) {
                    texts.add(text(consumer.receive(COMES_MS)));
                }
                session.commit();
                consumed.addAll(texts);
            }
            assertThat(text(consumer.receive(COMES_MS)))
                    .as("is not committed")
                    .isEqualTo(Integer.toString(consumed.size()));
            publish("kept.killed", numbers(published, published + 200));
            published += 200;
            broker().kill();
            startAgain();
            closeIfItLives(connection);
        }
        try (JMSContext context = client("killed")) {
            JMSConsumer consumer = context.createDurableConsumer(context.createTopic("kept.killed" + ALL), "s");
            consumed.addAll(take(consumer, published - consumed.size()));
            assertThat(consumed).isEqualTo(numbers(0, published));
            publish("kept.killed", List.of("last"));
            assertThat(take(consumer, 1)).containsExactly("last");
            assertThat(rest(consumer)).isEmpty();
        }
    }

    /** A broker of several nodes loses one, and the client may be at another one. */
    private static void closeIfItLives(Connection connection) {
        try {
            connection.close();
        } catch (JMSException e) {
            // it was at the one that was lost
        }
    }

    @Test
    void publishersGoOnMeanwhile() throws Exception {
        publishInTransactions("kept.busy", 0, 10_000);
        try (JMSContext context = client("busy")) {
            Thread publisher = new Thread(() -> publish("kept.busy", numbers(10_000, 13_000)));
            publisher.start();
            JMSConsumer consumer = context.createDurableConsumer(context.createTopic("kept.busy" + ALL), "s");
            assertThat(take(consumer, 13_000)).isEqualTo(numbers(0, 13_000));
            publisher.join();
            assertThat(rest(consumer)).isEmpty();
        }
    }

    @Test
    void whoComesBackIsNotServedAgain() {
        publish("kept.again", numbers(0, 20));
        assertThat(replay("kept.again" + ALL, "again", 20)).isEqualTo(numbers(0, 20));
        publish("kept.again", numbers(20, 25));
        assertThat(replay("kept.again" + ALL, "again", 5)).isEqualTo(numbers(20, 25));
        try (JMSContext context = client("client-of-again")) {
            context.unsubscribe("again");
        }
        assertThat(replay("kept.again" + ALL, "again", 25)).isEqualTo(numbers(0, 25));
    }

    @Test
    void consumersOfASharedSubscriptionShareWhatWasKept() {
        publish("kept.shared", numbers(0, 200));
        try (JMSContext one = client("sharing");
                JMSContext other = one.createContext(JMSContext.AUTO_ACKNOWLEDGE)) {
            JMSConsumer first = one.createSharedDurableConsumer(one.createTopic("kept.shared" + ALL), "s");
            String firstText = first.receiveBody(String.class, COMES_MS);
            first.close();
            JMSConsumer second = other.createSharedDurableConsumer(other.createTopic("kept.shared" + ALL), "s");
            List<String> seen = Stream.concat(Stream.of(firstText), take(second, 199).stream())
                    .toList();
            assertThat(seen).isEqualTo(numbers(0, 200));
        }
    }

    @Test
    void aSelectorChoosesFromWhatWasKept() {
        try (JMSContext context = client("selecting")) {
            for (int i = 0; i < 100; i++) {
                context.createProducer()
                        .setProperty("even", i % 2 == 0)
                        .send(context.createTopic("kept.selected"), Integer.toString(i));
            }
            JMSConsumer consumer = context.createDurableConsumer(
                    context.createTopic("kept.selected" + ALL), "s", "even = TRUE", false);
            assertThat(take(consumer, 50))
                    .isEqualTo(numbers(0, 100).stream()
                            .filter(text -> Integer.parseInt(text) % 2 == 0)
                            .toList());
        }
    }

    @Test
    void whatIsOlderThanItsAgeGoes() {
        publish("short.a", numbers(0, 10));
        assertThat(replay("short.a" + ALL, "at-once", 1)).containsExactly("0");
        AtomicInteger looks = new AtomicInteger();
        await("the oldest that is kept").atMost(COMES).pollInterval(LOOK).until(() -> {
            publish("short.a", List.of("later"));
            return replay("short.a" + ALL, "later-" + looks.incrementAndGet(), 1)
                    .equals(List.of("later"));
        });
    }

    @Test
    void whatIsMoreThanItsBytesGoes() {
        String text = "x".repeat(1_000);
        publish("small.a", IntStream.range(0, 50).mapToObj(i -> i + text).toList());
        AtomicInteger looks = new AtomicInteger();
        await("the oldest that is kept").atMost(COMES).pollInterval(LOOK).until(() -> {
            String first = replay("small.a" + ALL, "small-" + looks.incrementAndGet(), 1)
                    .get(0);
            return Integer.parseInt(first.replace("x", "")) > 35;
        });
    }

    @Test
    void whatIsNotKeptIsRefusedByName() {
        try (JMSContext context = client("refused")) {
            assertThatThrownBy(() -> context.createDurableConsumer(context.createTopic("plain" + ALL), "plain"))
                    .hasMessageContaining("RT-2027")
                    .hasMessageContaining("retention-age");
            assertThatThrownBy(() -> context.createDurableConsumer(context.createTopic("kept.b?since=yesterday"), "no"))
                    .hasMessageContaining("RT-4066");
            assertThatThrownBy(() -> context.createConsumer(context.createTopic("kept.b" + ALL)))
                    .as("a subscription that is not durable")
                    .hasMessageContaining("RT-4066");
            assertThatThrownBy(() -> context.createConsumer(context.createQueue("kept.c" + ALL)))
                    .hasMessageContaining("RT-4066");
            assertThatThrownBy(() ->
                            context.createDurableConsumer(context.createTopic("kept.b" + ALL), "mine", null, true))
                    .hasMessageContaining("RT-2025");
        }
        try (JMSContext context = context()) {
            assertThatThrownBy(() -> context.createProducer().send(context.createTopic("kept.b" + ALL), "text"))
                    .hasMessageContaining("RT-2024");
            assertThatThrownBy(() -> context.createSharedDurableConsumer(context.createTopic("kept.b"), "$retention"))
                    .hasMessageContaining("RT-2023");
        }
    }
}
