package io.ringtable.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests what the SDK carries to a broker and back. */
class BrokerScenarioTest extends OneBrokerScenario {
    record Order(String item, int count) {}

    @Test
    void deliversEveryMessageOfAQueueInItsOrderAndBatchesThem() {
        int messages = 20_000;
        List<Integer> seen = new ArrayList<>();
        CountDownLatch all = new CountDownLatch(messages);
        try (RingtableClient client = broker.client().connect();
                Publisher publisher = client.publisher("queue://" + address)) {
            client.subscribe("queue://" + address, message -> {
                seen.add((Integer) message.property("n"));
                all.countDown();
            });
            publisher.publishAll(numbered(messages)).join();
            await().atMost(SOON).until(() -> all.getCount() == 0);
            assertThat(seen).isEqualTo(IntStream.range(0, messages).boxed().toList());
            ClientStatistics statistics = client.statistics();
            assertThat(statistics.accepted()).isEqualTo(messages);
            assertThat(statistics.publishTransfers()).isLessThan(messages / 10);
            await().atMost(SOON).until(() -> client.statistics().acknowledged() == messages);
            assertThat(client.statistics().dispositionsSent()).isLessThan(messages / 2);
        }
    }

    @Test
    void carriesBodiesAndPropertiesUnchanged() {
        try (RingtableClient client = broker.client().connect();
                Publisher publisher = client.publisher("queue://" + address);
                Receiver receiver = client.receiver("queue://" + address)) {
            publisher.publishAndWait(Message.builder()
                    .json(new Order("book", 2))
                    .messageId("m1")
                    .correlationId("c1")
                    .subject("order")
                    .replyTo("answers")
                    .property("text", "Grüße")
                    .property("number", 7)
                    .property("large", 1L << 40)
                    .property("exact", 0.1)
                    .property("flag", true)
                    .property("nothing", null)
                    .priority(7)
                    .build());
            publisher.publishAndWait(Message.bytes(new byte[] {0, -1, 127}));
            publisher.publishAndWait(Message.text("Olá"));
            publisher.publishAndWait(Message.builder().build());

            ReceivedMessage order = take(receiver);
            assertThat(order.json(Order.class)).isEqualTo(new Order("book", 2));
            assertThat(order.contentType()).contains("application/json");
            assertThat(order.messageId()).contains("m1");
            assertThat(order.correlationId()).contains("c1");
            assertThat(order.subject()).contains("order");
            assertThat(order.replyTo()).contains("answers");
            assertThat(order.properties())
                    .containsEntry("text", "Grüße")
                    .containsEntry("number", 7)
                    .containsEntry("large", 1L << 40)
                    .containsEntry("exact", 0.1)
                    .containsEntry("flag", true)
                    .containsEntry("nothing", null);
            assertThat(order.priority()).isEqualTo(7);
            assertThat(order.isDurable()).isTrue();
            assertThat(order.isRedelivered()).isFalse();
            assertThat(order.deliveryCount()).isEqualTo(1);
            assertThat(take(receiver).bytes()).containsExactly(0, -1, 127);
            ReceivedMessage text = take(receiver);
            assertThat(text.text()).isEqualTo("Olá");
            assertThatThrownBy(() -> text.json(Order.class)).hasMessageContaining("RT-5030");
            assertThat(take(receiver).bytes()).isEmpty();
        }
    }

    @Test
    void keepsMessagesForADurableSubscriptionWhileItIsAwayAndForgetsItWhenUnsubscribed() {
        SubscriptionOptions audit = SubscriptionOptions.topic(address).durable("audit");
        String id = "client-" + UUID.randomUUID();
        try (RingtableClient client = broker.client().clientId(id).connect()) {
            client.receiver(audit).close();
        }
        try (RingtableClient client = broker.client().connect();
                Publisher publisher = client.publisher("topic://" + address)) {
            publisher.publishAll(numbered(100)).join();
        }
        try (RingtableClient client = broker.client().clientId(id).connect()) {
            try (Receiver receiver = client.receiver(audit)) {
                for (int i = 0; i < 60; i++) {
                    ReceivedMessage message = take(receiver);
                    assertThat(message.property("n")).isEqualTo(i);
                    message.acknowledge();
                }
            }
            try (Receiver receiver = client.receiver(audit)) {
                assertThat(take(receiver).property("n")).isEqualTo(60);
            }
            client.unsubscribe("audit");
            assertThatThrownBy(() -> client.unsubscribe("audit"))
                    .isInstanceOfSatisfying(
                            RingtableException.class,
                            failure -> assertThat(failure.condition()).contains("amqp:not-found"));
            try (Receiver receiver = client.receiver(audit);
                    Publisher publisher = client.publisher("topic://" + address)) {
                publisher.publishAndWait(Message.text("next"));
                assertThat(take(receiver).text()).as("the first that comes").isEqualTo("next");
            }
        }
    }

    @Test
    void deletesAnAddressThatNobodyUsesOrWhoeverUsesIt() {
        Address queue = Address.queue(address);
        try (RingtableClient client = broker.client().connect()) {
            assertThatThrownBy(() -> client.delete(queue)).hasMessageContainingAll("amqp:not-found", "RT-4067");
            try (Publisher publisher = client.publisher(queue)) {
                publisher.publishAndWait(Message.text("owed"));
                assertThatThrownBy(() -> client.delete(queue))
                        .hasMessageContainingAll("RT-5020", "amqp:resource-locked", "RT-4069", "links: 1");
            }
            assertThatThrownBy(() -> client.delete(queue))
                    .hasMessageContainingAll("amqp:resource-locked", "RT-2030", "messages owed: 1");
            assertThatThrownBy(() -> client.delete(Address.topic(address))).hasMessageContaining("RT-4067");
            client.deleteEvenIfUsed(queue);
            try (Receiver receiver = client.receiver(queue.toString())) {
                try (Publisher publisher = client.publisher(queue)) {
                    publisher.publishAndWait(Message.text("next"));
                }
                assertThat(take(receiver).text()).as("the first that comes").isEqualTo("next");
                client.deleteEvenIfUsed(queue);
                await().atMost(SOON)
                        .untilAsserted(() -> assertThatThrownBy(() -> receiver.receive(Duration.ZERO))
                                .hasMessageContaining("RT-2202"));
            }
        }
    }

    @Test
    void givesATopicsMessagesToEachSubscriptionThatIsThere() {
        List<String> first = new CopyOnWriteArrayList<>();
        List<String> second = new CopyOnWriteArrayList<>();
        try (RingtableClient client = broker.client().connect();
                Publisher publisher = client.publisher("topic://" + address)) {
            publisher.publishAndWait(Message.text("too early"));
            client.subscribe("topic://" + address, message -> first.add(message.text()));
            client.subscribe("topic://" + address, message -> second.add(message.text()));
            publisher.publishAll(List.of(Message.text("a"), Message.text("b"))).join();
            await().atMost(SOON).until(() -> first.size() == 2 && second.size() == 2);
            assertThat(first).containsExactly("a", "b");
            assertThat(second).containsExactly("a", "b");
        }
    }

    @Test
    void deliversAgainWhatTheHandlerFailedWithACountAndTheFlag() {
        List<String> seen = new CopyOnWriteArrayList<>();
        try (RingtableClient client = broker.client().connect();
                Publisher publisher = client.publisher("queue://" + address)) {
            client.subscribe("queue://" + address, message -> {
                seen.add(message.text() + message.deliveryCount() + message.isRedelivered());
                if (message.deliveryCount() < 3) {
                    throw new IllegalStateException("as the test wants it");
                }
            });
            publisher.publishAndWait(Message.text("m"));
            await().atMost(SOON).until(() -> seen.size() == 3);
            assertThat(seen).containsExactly("m1false", "m2true", "m3true");
        }
    }

    @Test
    void doesNotDeliverAgainWhatWasRejectedAndCountsNoRelease() {
        try (RingtableClient client = broker.client().connect();
                Publisher publisher = client.publisher("queue://" + address);
                Receiver receiver = client.receiver("queue://" + address)) {
            publisher.publishAndWait(Message.text("poison"));
            publisher.publishAndWait(Message.text("good"));
            take(receiver).reject("poison");
            ReceivedMessage good = take(receiver);
            assertThat(good.text()).isEqualTo("good");
            good.release();
            ReceivedMessage again = take(receiver);
            assertThat(again.text()).isEqualTo("good");
            assertThat(again.deliveryCount()).isEqualTo(1);
            again.acknowledge();
            publisher.publishAndWait(Message.text("next"));
            assertThat(take(receiver).text()).as("the first that comes").isEqualTo("next");
        }
    }

    @Test
    void carriesLargeMessagesAmongSmallOnesAndRefusesOversizeOnesWithoutHarm() {
        byte[] large = new byte[5 * 1024 * 1024];
        large[large.length - 1] = 42;
        try (RingtableClient client = broker.client().connect();
                Publisher publisher = client.publisher("queue://" + address);
                Receiver receiver = client.receiver("queue://" + address)) {
            publisher.publish(Message.text("small"));
            publisher.publish(Message.bytes(large));
            assertThatThrownBy(() -> publisher.publishAndWait(Message.bytes(new byte[17 * 1024 * 1024])))
                    .hasMessageContaining("RT-5012")
                    .hasMessageContaining("16777216");
            publisher.publishAndWait(Message.text("after"));
            assertThat(take(receiver).text()).isEqualTo("small");
            assertThat(take(receiver).bytes()).isEqualTo(large);
            assertThat(take(receiver).text()).isEqualTo("after");
        }
    }
}
