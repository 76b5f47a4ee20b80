package io.ringtable.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.client.AcknowledgeMode;
import io.ringtable.client.Message;
import io.ringtable.client.Publisher;
import io.ringtable.client.ReceivedMessage;
import io.ringtable.client.Receiver;
import io.ringtable.client.RingtableClient;
import io.ringtable.client.SubscriptionOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The things that a test can wait for, and the text that it reads when it waits in vain. */
@RingtableTest(properties = "ringtable.dispatch.deliveries-max=2")
class TestBrokerAwaitsTest {
    private static final Duration SHORT = Duration.ofMillis(50);

    @Test
    void findsAMessageThatWasConsumedMeanwhile(RingtableClient client, TestBroker broker) {
        client.subscribe("queue://orders", ReceivedMessage::text);
        publish(client, "queue://orders", "one book");

        broker.awaitConsumed("queue://orders", 1);

        PublishedMessage found = broker.awaitPublished("queue://orders");
        assertThat(found.text()).isEqualTo("one book");
        assertThat(found.address()).hasToString("queue://orders");
    }

    @Test
    void findsAMessageToATopicThatNobodySubscribesTo(RingtableClient client, TestBroker broker) {
        publish(client, "topic://prices", "42");

        assertThat(broker.awaitPublished("topic://prices").text()).isEqualTo("42");
    }

    @Test
    void waitsForAPublisherOnAnotherThread(RingtableClient client, TestBroker broker) {
        CompletableFuture<Void> publishing = CompletableFuture.runAsync(() -> {
            for (int i = 1; i <= 3; i++) {
                publish(client, "orders", "order " + i);
            }
        });

        assertThat(broker.awaitPublished("orders", 3))
                .extracting(PublishedMessage::text)
                .containsExactly("order 1", "order 2", "order 3");
        assertThat(publishing).succeedsWithin(Duration.ofSeconds(60));
    }

    @Test
    void picksTheMessageThatFits(RingtableClient client, TestBroker broker) {
        try (Publisher orders = client.publisher("orders")) {
            orders.publishAndWait(
                    Message.builder().text("one").property("customer", "ada").build());
            orders.publishAndWait(
                    Message.builder().text("two").property("customer", "bob").build());
        }

        PublishedMessage bobs = broker.awaitPublished("orders", message -> "bob".equals(message.property("customer")));

        assertThat(bobs.text()).isEqualTo("two");
    }

    @Test
    void findsALargeMessageWhole(RingtableClient client, TestBroker broker) {
        String large = "x".repeat(300_000);
        publish(client, "orders", large);

        assertThat(broker.awaitPublished("orders").text()).isEqualTo(large);
    }

    @Test
    void tellsWhyAMessageDied(RingtableClient client, TestBroker broker) {
        client.subscribe(
                SubscriptionOptions.queue("orders").acknowledge(AcknowledgeMode.MANUAL),
                message -> message.reject("no such book"));
        publish(client, "orders", "one book");

        DeadLetter letter = broker.awaitDeadLetter("queue://orders");

        assertThat(letter.message().text()).isEqualTo("one book");
        assertThat(letter.reason()).contains("no such book");
        assertThat(letter.deliveries()).isZero();
        broker.awaitEmpty("queue://orders");
    }

    @Test
    void countsTheDeliveriesOfAMessageThatDied(RingtableClient client, TestBroker broker) {
        client.subscribe(
                SubscriptionOptions.queue("orders").acknowledge(AcknowledgeMode.MANUAL), ReceivedMessage::fail);
        publish(client, "orders", "one book");

        assertThat(broker.awaitDeadLetter("orders").deliveries()).isEqualTo(2);
    }

    @Test
    void waitsForTheListenerOfATopic(RingtableClient client, TestBroker broker) {
        CompletableFuture<String> heard = new CompletableFuture<>();
        CompletableFuture.runAsync(() -> client.subscribe("topic://prices", message -> heard.complete(message.text())));

        broker.awaitLinks("topic://prices", 1);
        publish(client, "topic://prices", "42");

        assertThat(heard).succeedsWithin(Duration.ofSeconds(60)).isEqualTo("42");
    }

    @Test
    void showsWhatWasPublishedInstead(RingtableClient client, TestBroker broker) {
        publish(client, "queue://order", "one book");

        assertThatThrownBy(() -> broker.within(SHORT).awaitPublished("queue://orders"))
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("RT-7101 expected 1 message to queue://orders, found 0 within 50 ms.")
                .hasMessageContaining("Published since the test began:")
                .hasMessageContaining("  queue://order: 1 message, \"one book\"")
                .hasMessageContaining("Owed to consumers now:")
                .hasMessageContaining("  queue://order: 1 message");
    }

    @Test
    void showsWhatIsStillOwed(RingtableClient client, TestBroker broker) {
        publish(client, "queue://orders", "one book");

        assertThatThrownBy(() -> broker.within(SHORT).awaitEmpty("queue://orders"))
                .hasMessageStartingWith("RT-7103 queue://orders still owes 1 of its messages within 50 ms.");
        assertThatThrownBy(() -> broker.within(SHORT).awaitEmpty("queue://ordres"))
                .hasMessageStartingWith("RT-7103 queue://ordres was not created: check its name within");
        assertThatThrownBy(() -> broker.within(SHORT).awaitConsumed("queue://orders", 2))
                .hasMessageStartingWith("RT-7103 expected 2 messages to queue://orders, found 1 within");
        assertThatThrownBy(() -> broker.within(SHORT).awaitDeadLetter("queue://orders"))
                .hasMessageStartingWith("RT-7104 no message of queue://orders has become a dead letter within");
        assertThatThrownBy(() -> broker.within(SHORT).awaitLinks("queue://orders", 7))
                .hasMessageStartingWith("RT-7105 expected 7 links to queue://orders, found ");
        assertThatThrownBy(() -> broker.within(SHORT).awaitPublished("queue://orders", message -> false))
                .hasMessageStartingWith("RT-7102 no message to queue://orders fits, of 1 within");
    }

    @Test
    void aDurableSubscriptionOwesUntilItSettles(TestBroker broker) {
        try (RingtableClient audit = RingtableClient.builder()
                .uri(broker.url().toString())
                .clientId("audit")
                .connect()) {
            SubscriptionOptions options = SubscriptionOptions.topic("prices").durable("audit");
            try (Receiver receiver = audit.receiver(options)) {
                publish(audit, "topic://prices", "42");
                assertThatThrownBy(() -> broker.within(SHORT).awaitEmpty("topic://prices"))
                        .hasMessageContaining("topic://prices to audit: 1 message");
                receiver.receive(Duration.ofSeconds(60)).orElseThrow().acknowledge();
            }
        }

        broker.awaitEmpty("topic://prices");
        assertThat(broker.published("topic://prices")).hasSize(1);
        assertThat(List.of(broker.url().getScheme(), broker.url().getHost())).containsExactly("amqp", "127.0.0.1");
    }

    private static void publish(RingtableClient client, String address, String text) {
        try (Publisher publisher = client.publisher(address)) {
            publisher.publishAndWait(Message.text(text));
        }
    }
}
