package io.ringtable.spring;

import static io.ringtable.spring.SharedBroker.NOTHING_MORE;
import static io.ringtable.spring.SharedBroker.SOON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ringtable.client.Address;
import io.ringtable.client.ReceivedMessage;
import io.ringtable.client.Receiver;
import io.ringtable.client.RingtableClient;
import io.ringtable.client.SubscriptionOptions;
import io.ringtable.spring.support.RingtableHeaders;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.messaging.converter.MessageConversionException;
import org.springframework.messaging.support.MessageBuilder;

/** Tests on the broker itself what the template sends and receives. */
@Timeout(120)
@ExtendWith(SharedBroker.class)
class RingtableTemplateTest {

    record Order(String item, int count) {}

    private final RingtableTemplate template = new RingtableTemplate(SharedBroker.client());
    private final String address = SharedBroker.queue();

    @AfterEach
    void close() {
        template.destroy();
    }

    private ReceivedMessage received() {
        return template.receive(address, SOON, message -> message).orElseThrow();
    }

    @Test
    void aMessageIsStoredWhenTheCallReturns() throws Exception {
        template.convertAndSend(address, "one");
        try (Receiver receiver = SharedBroker.client().receiver(address)) {
            assertThat(receiver.receive(SOON)).map(ReceivedMessage::text).contains("one");
        }
    }

    @Test
    void eachKindOfPayloadHasItsForm() {
        template.convertAndSend(address, "text");
        assertThat(received().value()).as("an AMQP string").isEqualTo("text");

        template.convertAndSend(address, new byte[] {1, 2});
        ReceivedMessage bytes = received();
        assertThat(bytes.value()).isEqualTo(new byte[] {1, 2});
        assertThat(bytes.contentType()).isEmpty();

        template.convertAndSend(address, new Order("book", 2));
        ReceivedMessage json = received();
        assertThat(json.text()).isEqualTo("{\"item\":\"book\",\"count\":2}");
        assertThat(json.contentType()).contains("application/json");
    }

    @Test
    void headersAreFieldsOrProperties() {
        UUID uuid = UUID.randomUUID();
        template.convertAndSend(
                address,
                "one",
                Map.ofEntries(
                        Map.entry(RingtableHeaders.MESSAGE_ID, "m-1"),
                        Map.entry(RingtableHeaders.CORRELATION_ID, "c-1"),
                        Map.entry(RingtableHeaders.SUBJECT, "order"),
                        Map.entry(RingtableHeaders.REPLY_TO, "queue://answers"),
                        Map.entry(RingtableHeaders.GROUP_ID, "g-1"),
                        Map.entry(RingtableHeaders.PRIORITY, 7),
                        Map.entry(RingtableHeaders.TIME_TO_LIVE, Duration.ofHours(1)),
                        Map.entry(RingtableHeaders.DURABLE, false),
                        Map.entry("contentType", "text/plain"),
                        Map.entry("country", "PT"),
                        Map.entry("uuid", uuid),
                        Map.entry("at", Instant.ofEpochMilli(5))));
        ReceivedMessage message = received();
        assertThat(message.messageId()).contains("m-1");
        assertThat(message.correlationId()).contains("c-1");
        assertThat(message.subject()).contains("order");
        assertThat(message.replyTo()).contains("queue://answers");
        assertThat(message.groupId()).contains("g-1");
        assertThat(message.priority()).isEqualTo(7);
        assertThat(message.isDurable()).isFalse();
        assertThat(message.contentType()).contains("text/plain");
        assertThat(message.properties()).isEqualTo(Map.of("country", "PT", "uuid", uuid, "at", 5L));
    }

    @Test
    void headersOfOtherTypesAreRefused() {
        assertThatThrownBy(() -> template.convertAndSend(address, "one", Map.of("who", new Order("book", 1))))
                .hasMessageStartingWith("RT-5014")
                .hasMessageContaining("who");
        assertThatThrownBy(() -> template.convertAndSend(address, "one", Map.of(RingtableHeaders.PRIORITY, "high")))
                .hasMessageStartingWith("RT-5040")
                .hasMessageContaining("'ringtable_priority' is high")
                .hasMessageContaining("java.lang.Integer");
        assertThatThrownBy(() -> template.send(
                        address,
                        MessageBuilder.withPayload(new Order("book", 1)).build()))
                .hasMessageStartingWith("RT-5040")
                .hasMessageContaining("Order");
    }

    @Test
    void aRefusalOfTheBrokerReachesTheCaller() {
        assertThatThrownBy(() -> template.convertAndSend("queue://$retention?since=x", "one"))
                .hasMessageStartingWith("RT-5020");
        String topic = SharedBroker.topic();
        template.convertAndSend(topic, "makes the topic");
        assertThat(template.sendAsync(topic.replace("topic://", "queue://"), "one"))
                .failsWithin(SOON)
                .withThrowableThat()
                .withMessageContaining("RT-2011");
    }

    @Test
    void aMessageThatIsSentAsynchronouslyHasAnOutcome() {
        List<CompletableFuture<Void>> outcomes = IntStream.range(0, 100)
                .mapToObj(n -> template.sendAsync(address, Integer.toString(n), Map.of("n", n)))
                .toList();
        assertThat(CompletableFuture.allOf(outcomes.toArray(CompletableFuture[]::new)))
                .succeedsWithin(SOON);
        assertThat(template.sendAsync(
                        address,
                        MessageBuilder.withPayload("whole").setHeader("n", 100).build()))
                .succeedsWithin(SOON);
        try (Receiver receiver = SharedBroker.client().receiver(address)) {
            for (int n = 0; n <= 100; n++) {
                assertThat(receiver.receive(SOON).orElseThrow().property("n")).isEqualTo(n);
            }
        }
    }

    @Test
    void aReceivedMessageIsConvertedOrGoesToTheDeadLetters() {
        assertThat(template.receiveAndConvert(address, Order.class, NOTHING_MORE))
                .isEmpty();
        template.convertAndSend(address, new Order("book", 2));
        assertThat(template.receiveAndConvert(address, Order.class, SOON)).contains(new Order("book", 2));
        template.convertAndSend(address, "no JSON");
        assertThatThrownBy(() -> template.receiveAndConvert(address, Order.class, SOON))
                .isInstanceOf(MessageConversionException.class);
        assertThat(SharedBroker.deadLetterOf(address).failures()).isZero();
        assertThat(template.receiveAndConvert(address, String.class, NOTHING_MORE))
                .isEmpty();
    }

    @Test
    void aMessageWhoseActionThrowsComesAgain() {
        template.convertAndSend(address, "one");
        assertThatThrownBy(() -> template.receive(address, SOON, message -> {
                    throw new IllegalStateException("no seat");
                }))
                .hasMessage("no seat");
        assertThat(template.receive(address, SOON, ReceivedMessage::deliveryCount))
                .contains(2);
        assertThat(template.receive(address, NOTHING_MORE, ReceivedMessage::text))
                .isEmpty();
    }

    @Test
    void aSubscriptionIsReceivedFromByItsOptions() {
        SubscriptionOptions audit =
                SubscriptionOptions.topic(SharedBroker.name()).sharedDurable("audit-" + SharedBroker.name());
        assertThat(template.receive(audit, NOTHING_MORE, ReceivedMessage::text)).isEmpty();
        template.convertAndSend(audit.address().toString(), "while nobody was there");
        assertThat(template.receive(audit, SOON, ReceivedMessage::text)).contains("while nobody was there");
    }

    @Test
    void noMorePublishersAreOpenThanTheBoundSays() {
        RingtableTemplate small = new RingtableTemplate(SharedBroker.client());
        small.setPublisherCacheSize(2);
        List<String> addresses = List.of(SharedBroker.queue(), SharedBroker.queue(), SharedBroker.queue());
        for (int n = 0; n < 3; n++) {
            for (String each : addresses) {
                small.convertAndSend(each, "message " + n);
            }
        }
        assertThat(small.openPublishers()).isEqualTo(2);
        for (String each : addresses) {
            try (Receiver receiver = SharedBroker.client().receiver(each)) {
                for (int n = 0; n < 3; n++) {
                    assertThat(receiver.receive(SOON))
                            .map(ReceivedMessage::text)
                            .contains("message " + n);
                }
            }
        }
        small.destroy();
        assertThat(small.openPublishers()).isZero();
    }

    @Test
    void aPublisherThatTheBrokerEndedIsOpenedAnew() {
        template.convertAndSend(address, "one");
        SharedBroker.client().deleteEvenIfUsed(Address.of(address));
        await().ignoreExceptions().until(() -> {
            template.convertAndSend(address, "two");
            return true;
        });
        assertThat(received().text()).isEqualTo("two");
    }

    @Test
    void aProducerIdNumbersTheMessagesAndBelongsToOneTemplateAtATime() {
        RingtableTemplate shop = new RingtableTemplate(SharedBroker.client());
        shop.setProducerId("shop-" + address);
        shop.convertAndSend(address, "one");
        shop.convertAndSend(address, "two");
        assertThat(shop.lastPublishedNumber(address)).isEqualTo(2);

        RingtableTemplate restarted = new RingtableTemplate(SharedBroker.client());
        restarted.setProducerId("shop-" + address);
        assertThat(restarted.lastPublishedNumber(address)).isEqualTo(2);
        for (int attempt = 0; attempt < 2; attempt++) {
            assertThatThrownBy(() -> shop.convertAndSend(address, "late")).hasMessageStartingWith("RT-5023");
        }
        restarted.convertAndSend(address, "three");
        assertThat(restarted.lastPublishedNumber(address)).isEqualTo(3);
    }

    @Test
    void settingsThatCannotWorkAreRefused() {
        assertThatThrownBy(() -> template.setPublisherCacheSize(0))
                .hasMessage("RT-5040 publisherCacheSize=0 < 1: use 1 or more");
        assertThatThrownBy(() -> template.setSendTimeout(Duration.ZERO))
                .hasMessageStartingWith("RT-5040 sendTimeout=PT0S");
        assertThatThrownBy(() -> template.receive(address, Duration.ZERO, ReceivedMessage::text))
                .hasMessageStartingWith("RT-5040 timeout=PT0S");
        assertThatThrownBy(() -> template.setProducerId(" ")).hasMessageStartingWith("RT-5001 producer id ' '");
    }

    @Test
    void aClosedClientIsSaidToBeClosed() {
        RingtableTemplate late;
        try (RingtableClient client = SharedBroker.connect("late-" + address).connect()) {
            late = new RingtableTemplate(client);
            late.convertAndSend(address, "one");
        }
        assertThatThrownBy(() -> late.convertAndSend(address, "two")).hasMessageStartingWith("RT-5008");
        assertThat(Optional.of(received().text())).contains("one");
    }
}
