package io.ringtable.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.TestSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A topic with parts in three shards, against the broker itself. */
@Timeout(120)
class TopicPartsScenarioTest {
    private static final int GROUPS = 8;
    private static final int OF_EACH = 50;
    private static final Duration MOMENT = Duration.ofMillis(20);

    @TempDir
    Path directory;

    private static List<Message> messages() {
        List<Message> messages = new ArrayList<>();
        for (int number = 0; number < OF_EACH; number++) {
            for (int group = 0; group < GROUPS; group++) {
                messages.add(Message.builder()
                        .text(Integer.toString(number))
                        .groupId("pair " + group)
                        .build());
            }
        }
        return messages;
    }

    /** Receives everything that was published, by whichever of the receivers, each group in order. */
    private static void requireAll(Receiver... receivers) {
        Map<String, List<Integer>> byGroup = new TreeMap<>();
        int count = 0;
        while (count < GROUPS * OF_EACH) {
            for (Receiver receiver : receivers) {
                ReceivedMessage message = receiver.receive(MOMENT).orElse(null);
                if (message != null) {
                    byGroup.computeIfAbsent(message.groupId().orElseThrow(), group -> new ArrayList<>())
                            .add(Integer.valueOf(message.text()));
                    message.acknowledge();
                    count++;
                }
            }
        }
        for (Receiver receiver : receivers) {
            assertThat(receiver.receive(MOMENT)).isEmpty();
        }
        assertThat(byGroup).hasSize(GROUPS);
        byGroup.forEach((group, numbers) ->
                assertThat(numbers).as(group).hasSize(OF_EACH).isSorted().doesNotHaveDuplicates());
    }

    @Test
    void everySubscriptionGetsEachMessageOnceAndEachGroupInOrder() {
        TestSettings settings = TestSettings.of(
                "ringtable.shards",
                3,
                "ringtable.dispatch.addresses[0].match",
                "#",
                "ringtable.dispatch.addresses[0].parts",
                3,
                "ringtable.dispatch.addresses[0].retention-age",
                "1h");
        SubscriptionOptions durable = SubscriptionOptions.topic("rates").durable("all");
        SubscriptionOptions shared = SubscriptionOptions.topic("rates").sharedDurable("both");
        try (RealBroker broker = RealBroker.start(directory, settings);
                RingtableClient client = broker.client().clientId("sdk").connect();
                Publisher publisher = client.publisher("topic://rates")) {
            client.receiver(durable).close();
            try (Receiver first = client.receiver(shared);
                    Receiver second = client.receiver(shared);
                    Receiver inMemory = client.receiver(SubscriptionOptions.topic("rates"))) {
                publisher.publishAll(messages()).join();
                requireAll(first, second);
                requireAll(inMemory);
            }
            try (Receiver kept = client.receiver(durable)) {
                requireAll(kept);
            }
            try (Receiver late = client.receiver(
                    SubscriptionOptions.topic("rates").durable("late").since(Instant.EPOCH))) {
                requireAll(late);
            }
            client.unsubscribe("all");
            client.unsubscribeShared("both");
            assertThatThrownBy(() -> client.unsubscribe("all")).hasMessageContaining("amqp:not-found");
        }
    }
}
