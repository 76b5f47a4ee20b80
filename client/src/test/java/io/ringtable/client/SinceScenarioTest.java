package io.ringtable.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A durable subscription that begins before it was created, against the broker itself. */
@Timeout(120)
class SinceScenarioTest {
    private static final Duration TICK = Duration.ofMillis(1); // what times of publication are told apart by

    @TempDir
    Path directory;

    private static List<Message> numbered(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(n -> Message.text(Integer.toString(n)))
                .toList();
    }

    private static List<String> take(Receiver receiver, int count) {
        List<String> texts = new ArrayList<>();
        while (texts.size() < count) {
            ReceivedMessage message = receiver.receive(Duration.ofSeconds(60)).orElseThrow();
            texts.add(message.text());
            message.acknowledge();
        }
        return texts;
    }

    private static List<String> numbers(int from, int to) {
        return IntStream.range(from, to).mapToObj(Integer::toString).toList();
    }

    @Test
    void getsWhatWasPublishedBeforeAndThenWhatIsPublished() throws Exception {
        try (RealBroker broker = RealBroker.keeping(directory);
                RingtableClient client = broker.client().clientId("late").connect();
                Publisher publisher = client.publisher("topic://flights")) {
            publisher.publishAll(numbered(0, 50)).join();
            long published = System.currentTimeMillis();
            await().pollInterval(TICK).until(() -> System.currentTimeMillis() > published);
            Instant since = Instant.ofEpochMilli(System.currentTimeMillis());
            publisher.publishAll(numbered(50, 5_000)).join();

            SubscriptionOptions all =
                    SubscriptionOptions.topic("flights").durable("all").since(Instant.EPOCH);
            try (Receiver receiver = client.receiver(all)) {
                assertThat(take(receiver, 5_000)).isEqualTo(numbers(0, 5_000));
                publisher.publishAll(numbered(5_000, 5_010)).join();
                assertThat(take(receiver, 10)).isEqualTo(numbers(5_000, 5_010));
            }
            SubscriptionOptions some =
                    SubscriptionOptions.topic("flights").durable("some").since(since);
            try (Receiver receiver = client.receiver(some)) {
                assertThat(take(receiver, 4_960)).isEqualTo(numbers(50, 5_010));
            }
            publisher.publishAndWait(Message.text("once"));
            try (Receiver receiver = client.receiver(all)) {
                assertThat(take(receiver, 1)).as("it is not served again").containsExactly("once");
            }
        }
    }

    @Test
    void isRefusedWhereNothingIsKept() {
        try (RealBroker broker = RealBroker.start(directory);
                RingtableClient client = broker.client().clientId("late").connect()) {
            SubscriptionOptions options =
                    SubscriptionOptions.topic("flights").durable("all").since(Instant.EPOCH);
            assertThatThrownBy(() -> client.receiver(options))
                    .isInstanceOf(RingtableException.class)
                    .hasMessageContaining("RT-2027");
        }
    }

    @Test
    void isOfferedToDurableSubscriptionsAlone() {
        assertThatThrownBy(() -> SubscriptionOptions.topic("flights").since(Instant.EPOCH))
                .isInstanceOf(RingtableException.class)
                .hasMessageContaining("RT-5001");
        assertThat(SubscriptionOptions.topic("flights")
                        .durable("all")
                        .since(Instant.EPOCH)
                        .prefetch(5)
                        .since())
                .contains(Instant.EPOCH);
    }
}
