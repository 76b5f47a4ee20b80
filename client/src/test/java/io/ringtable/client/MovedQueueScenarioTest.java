package io.ringtable.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.TestSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A queue that moves from shard to shard while a publisher with a producer id sends, against the broker itself. */
@Timeout(120)
class MovedQueueScenarioTest {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int SHARDS = 3;
    private static final int MESSAGES = 6_000;
    private static final int MOVES = 6;

    @TempDir
    Path directory;

    @ParameterizedTest(name = "batching {0}")
    @ValueSource(booleans = {true, false})
    void everyNumberIsStoredOnceAndInItsOrder(boolean batching) {
        List<CompletableFuture<Void>> outcomes = new ArrayList<>();
        List<Integer> received = new ArrayList<>();
        try (RealBroker broker = RealBroker.start(directory, TestSettings.of("ringtable.shards", SHARDS));
                RingtableClient client = broker.client()
                        .batching(batching)
                        .inFlightLimit(new InFlightLimit(100, 1 << 20))
                        .connect();
                Publisher publisher =
                        client.publisher(PublisherOptions.queue("orders").producerId("shop"));
                Receiver receiver = client.receiver(SubscriptionOptions.queue("orders"))) {
            for (int i = 1; i <= MESSAGES; i++) {
                outcomes.add(publisher.publish(Message.text(Integer.toString(i))));
                if (i % (MESSAGES / MOVES) == MESSAGES / MOVES / 2) {
                    broker.move("orders", SHARDS); // under way; it ends as the receiver goes on
                }
                receiver.receive(Duration.ofMillis(1)).ifPresent(message -> take(message, received));
            }
            CompletableFuture.allOf(outcomes.toArray(CompletableFuture[]::new)).join();
            while (received.size() < MESSAGES) {
                take(receiver.receive(SOON).orElseThrow(), received);
            }
            assertThat(publisher.lastPublishedNumber()).isEqualTo(MESSAGES);
            assertThat(receiver.receive(Duration.ofMillis(20))).isEmpty();
        }
        assertThat(received)
                .isEqualTo(IntStream.rangeClosed(1, MESSAGES).boxed().toList());
    }

    private static void take(ReceivedMessage message, List<Integer> received) {
        received.add(Integer.valueOf(message.text()));
        message.acknowledge();
    }

    @Test
    void anApplicationThatComesBackGoesOnAfterWhatTheOldShardStored() {
        try (RealBroker broker = RealBroker.start(directory, TestSettings.of("ringtable.shards", SHARDS));
                RingtableClient client = broker.client().connect()) {
            PublisherOptions options = PublisherOptions.queue("orders").producerId("shop");
            try (Publisher publisher = client.publisher(options)) {
                publisher.publishAndWait(Message.text("1"));
                publisher.publishAndWait(Message.text("2"));
            }
            broker.move("orders", SHARDS);
            try (Publisher publisher = client.publisher(options)) {
                assertThat(publisher.lastPublishedNumber()).isEqualTo(2);
                publisher.publishAndWait(Message.text("3"));
            }
            try (Receiver receiver = client.receiver(SubscriptionOptions.queue("orders"))) {
                for (String text : List.of("1", "2", "3")) {
                    ReceivedMessage message = receiver.receive(SOON).orElseThrow();
                    assertThat(message.text()).isEqualTo(text);
                    message.acknowledge();
                }
            }
        }
    }
}
