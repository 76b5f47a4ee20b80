package io.ringtable.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.client.ReceivedMessage.DeadLetter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Shared subscriptions, selectors, groups and the reasons of dead letters, against the broker itself. */
class SharedAndSelectedScenarioTest extends OneBrokerScenario {
    private static final Duration NOTHING_MORE = Duration.ofMillis(100);

    @Test
    void receiversOfTwoClientsShareOneStoredSubscription() {
        SubscriptionOptions shared =
                SubscriptionOptions.topic(address).sharedDurable("audit").prefetch(1);
        try (RingtableClient one = broker.client().connect();
                RingtableClient two = broker.client().connect();
                Publisher publisher = one.publisher(Address.topic(address))) {
            Receiver first = one.receiver(shared);
            Receiver second = two.receiver(shared);
            publisher.publishAll(numbered(2)).join();
            ReceivedMessage ofFirst = take(first);
            ReceivedMessage ofSecond = take(second);
            assertThat(List.of(ofFirst.text(), ofSecond.text())).containsExactlyInAnyOrder("message 0", "message 1");
            ofFirst.acknowledge();
            ofSecond.acknowledge();
            first.close();
            second.close();

            publisher.publishAndWait(Message.text("while nobody was there"));
            try (Receiver again = two.receiver(shared)) {
                ReceivedMessage kept = take(again);
                assertThat(kept.text()).isEqualTo("while nobody was there");
                kept.acknowledge();
            }
            one.unsubscribeShared("audit");
            assertThatThrownBy(() -> one.unsubscribeShared("audit")).hasMessageContaining("amqp:not-found");
        }
    }

    @Test
    void aSharedSubscriptionThatIsNotDurableEndsWithItsLastReceiver() {
        SubscriptionOptions shared =
                SubscriptionOptions.topic(address).shared("screens").prefetch(1);
        try (RingtableClient client = broker.client().connect();
                Publisher publisher = client.publisher(Address.topic(address))) {
            try (Receiver first = client.receiver(shared);
                    Receiver second = client.receiver(shared)) {
                publisher.publishAll(numbered(2)).join();
                assertThat(List.of(take(first).text(), take(second).text()))
                        .containsExactlyInAnyOrder("message 0", "message 1");
            }
            publisher.publishAndWait(Message.text("to nobody"));
            try (Receiver later = client.receiver(shared)) {
                publisher.publishAndWait(Message.text("to it"));
                assertThat(take(later).text()).isEqualTo("to it");
            }
        }
    }

    @Test
    void aSelectorChoosesAndLeavesTheRestOfAQueueToOthers() {
        try (RingtableClient client = broker.client().connect();
                Publisher publisher = client.publisher(Address.queue(address));
                Receiver odd =
                        client.receiver(SubscriptionOptions.queue(address).selector("n = 1 OR n = 3"))) {
            publisher.publishAll(numbered(4)).join();
            assertThat(List.of(take(odd).text(), take(odd).text())).containsExactly("message 1", "message 3");
            try (Receiver rest = client.receiver(SubscriptionOptions.queue(address))) {
                assertThat(List.of(take(rest).text(), take(rest).text())).containsExactly("message 0", "message 2");
                assertThat(rest.receive(NOTHING_MORE)).isEmpty();
            }
        }
    }

    @Test
    void aSelectorThatIsNoneIsRefused() {
        SubscriptionOptions broken = SubscriptionOptions.queue(address).selector("n = ");
        try (RingtableClient client = broker.client().connect()) {
            assertThatThrownBy(() -> client.receiver(broken))
                    .hasMessageContaining("RT-5020")
                    .hasMessageContaining("RT-4064");
        }
        assertThatThrownBy(() -> SubscriptionOptions.queue(address).selector(" "))
                .hasMessageContaining("RT-5001");
        assertThatThrownBy(() -> SubscriptionOptions.queue(address).sharedDurable("audit"))
                .hasMessageContaining("RT-5001")
                .hasMessageContaining("consumers compete");
    }

    @Test
    void theMessagesOfAGroupGoToOneReceiver() {
        SubscriptionOptions options = SubscriptionOptions.queue(address).prefetch(4);
        List<Message> messages = new ArrayList<>();
        for (int n = 0; n < 4; n++) {
            for (String group : List.of("a", "b")) {
                messages.add(Message.builder().text(group + n).groupId(group).build());
            }
        }
        try (RingtableClient client = broker.client().connect();
                Receiver first = client.receiver(options);
                Receiver second = client.receiver(options);
                Publisher publisher = client.publisher(Address.queue(address))) {
            publisher.publishAll(messages).join();
            for (Receiver receiver : List.of(first, second)) {
                ReceivedMessage head = take(receiver);
                String group = head.groupId().orElseThrow();
                assertThat(head.text()).isEqualTo(group + 0);
                for (int n = 1; n < 4; n++) {
                    assertThat(take(receiver).text()).isEqualTo(group + n);
                }
            }
        }
    }

    @Test
    void aDeadLetterTellsWhyItIsOne() {
        Instant before = Instant.ofEpochMilli(System.currentTimeMillis());
        try (RingtableClient client =
                        broker.client().clientId("shop-" + address).connect();
                Publisher publisher = client.publisher(Address.topic(address));
                Receiver receiver =
                        client.receiver(SubscriptionOptions.topic(address).durable("audit"));
                Receiver letters = client.receiver("queue://DLQ")) {
            publisher.publishAndWait(Message.text("no order"));
            ReceivedMessage message = take(receiver);
            assertThat(message.deadLetter()).isEmpty();
            message.fail();
            take(receiver).reject("it has no customer");

            DeadLetter letter = take(letters).deadLetter().orElseThrow();
            assertThat(letter.address()).isEqualTo(address);
            assertThat(letter.subscription())
                    .hasValueSatisfying(name -> assertThat(name).contains("audit"));
            assertThat(letter.reason()).contains("it has no customer");
            assertThat(letter.failures()).isEqualTo(1);
            assertThat(letter.time()).isBetween(before, Instant.ofEpochMilli(System.currentTimeMillis()));
        }
    }
}
