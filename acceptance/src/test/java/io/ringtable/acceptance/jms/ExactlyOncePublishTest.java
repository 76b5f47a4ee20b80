package io.ringtable.acceptance.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ringtable.acceptance.harness.Engine;
import io.ringtable.acceptance.harness.Pace;
import io.ringtable.client.ClientListener;
import io.ringtable.client.InFlightLimit;
import io.ringtable.client.Message;
import io.ringtable.client.Publisher;
import io.ringtable.client.PublisherOptions;
import io.ringtable.client.Reconnect;
import io.ringtable.client.RingtableClient;
import io.ringtable.client.RingtableException;
import jakarta.jms.JMSContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests that a message of the SDK with a producer id is stored exactly once, however often broker or application die
 * meanwhile.
 */
class ExactlyOncePublishTest extends OnEachEngine {
    private static final Duration LONG = Duration.ofMinutes(1);

    ExactlyOncePublishTest(Engine engine) {
        super(engine);
    }

    @ParameterizedTest(name = "batching {0}, kills {1}")
    @CsvSource({"true, 2", "false, 1"})
    void everyMessageIsStoredOnceThroughKillsOfTheBroker(boolean batching, int kills) {
        String queue = "once-" + batching;
        AtomicInteger lost = new AtomicInteger();
        ClientListener listener = new ClientListener() {
            @Override
            public void disconnected(String uri, RingtableException cause) {
                lost.incrementAndGet();
            }
        };
        List<CompletableFuture<Void>> outcomes = new ArrayList<>();
        try (RingtableClient client = connect(batching, listener, LONG);
                Publisher publisher = client.publisher(options(queue))) {
            for (int kill = 0; kill < kills; kill++) {
                publishUntil(publisher, outcomes, CompletableFuture.runAsync(this::killAndStart));
            }
            publishUntil(publisher, outcomes, CompletableFuture.completedFuture(null));
            CompletableFuture.allOf(outcomes.toArray(CompletableFuture[]::new))
                    .orTimeout(LONG.toSeconds(), TimeUnit.SECONDS)
                    .join();
            assertThat(publisher.lastPublishedNumber()).isEqualTo(outcomes.size());
        }
        if (!broker().hasOtherNodes()) { // else the client may be at one that lives
            assertThat(lost).as("connections lost").hasValueGreaterThanOrEqualTo(kills);
        }
        assertThat(stored(queue)).isEqualTo(numbers(outcomes.size()));
    }

    @Test
    void anApplicationThatDiesWithTheBrokerGoesOnAfterWhatIsStored() {
        String queue = "once-restart";
        List<CompletableFuture<Void>> outcomes = new ArrayList<>();
        long known = 0;
        for (int life = 0; life < 2; life++) {
            try (RingtableClient client = connect(true, ClientListener.NONE, Duration.ofMillis(100));
                    Publisher publisher = client.publisher(options(queue))) {
                long stored = publisher.lastPublishedNumber();
                assertThat(stored).as("what it was told is stored").isGreaterThanOrEqualTo(known);
                while (outcomes.size() > stored) {
                    outcomes.remove(
                            outcomes.size() - 1); // whatever became of them: they are not stored and never will be
                }
                CompletableFuture<Void> killed = CompletableFuture.runAsync(() -> {
                    awaitAnswers(outcomes, stored + 2_000);
                    broker().kill();
                });
                publishUntil(publisher, outcomes, killed);
            } // not closed in peace: the broker is dead
            known = outcomes.stream()
                    .filter(outcome -> outcome.isDone() && !outcome.isCompletedExceptionally())
                    .count();
            broker().start();
        }
        try (RingtableClient client = connect(true, ClientListener.NONE, LONG);
                Publisher publisher = client.publisher(options(queue))) {
            int stored = (int) publisher.lastPublishedNumber();
            assertThat(stored).isGreaterThanOrEqualTo((int) known);
            publisher.publishAndWait(Message.text(Integer.toString(stored + 1)));
            assertThat(stored(queue)).isEqualTo(numbers(stored + 1));
        }
    }

    @Test
    void aSecondPublisherOfTheSameProducerIdFencesTheFirst() {
        String queue = "once-fenced";
        try (RingtableClient one = connect(true, ClientListener.NONE, LONG);
                RingtableClient other = connect(true, ClientListener.NONE, LONG);
                Publisher first = one.publisher(options(queue))) {
            first.publishAndWait(Message.text("1"));
            try (Publisher second = other.publisher(options(queue))) {
                assertThat(second.lastPublishedNumber()).isEqualTo(1);
                assertThatThrownBy(() -> first.publishAndWait(Message.text("never")))
                        .isInstanceOf(RingtableException.class)
                        .hasMessageContaining("RT-4101");
                second.publishAndWait(Message.text("2"));
            }
        }
        assertThat(stored(queue)).isEqualTo(numbers(2));
    }

    private void killAndStart() {
        broker().kill();
        startAgain();
    }

    /** Publishes 1, 2, 3 ... until the other thing is done, and 500 more. */
    private static void publishUntil(
            Publisher publisher, List<CompletableFuture<Void>> outcomes, CompletableFuture<Void> done) {
        int more = 500;
        while (!done.isDone() || more-- > 0) {
            CompletableFuture<Void> outcome = publisher.publish(Message.text(Integer.toString(outcomes.size() + 1)));
            if (outcome.isCompletedExceptionally()) { // no room in time: it was not handed in and has no number
                if (done.isDone()) {
                    break;
                }
                continue;
            }
            synchronized (outcomes) {
                outcomes.add(outcome);
            }
            if (outcomes.size() % 4 == 0) {
                Pace.pass(Duration.ofMillis(1)); // about 3,000 a second: enough to be in the middle of it
            }
        }
        done.join();
    }

    private static void awaitAnswers(List<CompletableFuture<Void>> outcomes, long count) {
        await().atMost(LONG).pollInterval(Duration.ofMillis(1)).until(() -> {
            synchronized (outcomes) {
                return outcomes.size() >= count && outcomes.get((int) count - 1).isDone();
            }
        });
    }

    private RingtableClient connect(boolean batching, ClientListener listener, Duration patience) {
        return RingtableClient.builder()
                .uri(broker().amqpUrl())
                .batching(batching)
                .inFlightLimit(new InFlightLimit(1_000, 1 << 20))
                .waitForBroker(LONG)
                .requestTimeout(LONG)
                .publishTimeout(patience)
                .closeTimeout(patience)
                .reconnect(Reconnect.DEFAULT.firstDelay(Duration.ofMillis(50)).longestDelay(Duration.ofMillis(500)))
                .listener(listener)
                .connect();
    }

    private static PublisherOptions options(String queue) {
        return PublisherOptions.queue(queue).producerId("shop-1");
    }

    private static List<String> numbers(int last) {
        return IntStream.rangeClosed(1, last).mapToObj(Integer::toString).toList();
    }

    private List<String> stored(String queue) {
        try (JMSContext context = context()) {
            return drain(context.createQueue(queue));
        }
    }
}
