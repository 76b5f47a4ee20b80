package io.ringtable.spring;

import static io.ringtable.spring.SharedBroker.SOON;
import static io.ringtable.spring.SharedBroker.deadLetterOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.client.ReceivedMessage;
import io.ringtable.client.ReceivedMessage.DeadLetter;
import io.ringtable.spring.annotation.RingtableListener;
import io.ringtable.spring.listener.AckMode;
import io.ringtable.spring.listener.Acknowledgment;
import io.ringtable.spring.listener.Settlement;
import io.ringtable.spring.support.RingtableHeaders;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.handler.annotation.SendTo;

/** What methods with {@code @RingtableListener} get, and what becomes of their messages; on the broker itself. */
@Timeout(60)
@ExtendWith(SharedBroker.class)
class RingtableListenerTest {

    record Order(String item, int count) {}

    /** Collects what the methods of a test's listener got. */
    abstract static class Collecting<T> {
        final BlockingQueue<T> got = new LinkedBlockingQueue<>();

        T next() throws InterruptedException {
            T next = got.poll(SOON.toSeconds(), TimeUnit.SECONDS);
            assertThat(next).as("the next message").isNotNull();
            return next;
        }
    }

    static class TakesOrders extends Collecting<Order> {
        @RingtableListener("${address}")
        void take(Order order) {
            got.add(order);
        }
    }

    @Test
    void aMethodGetsItsPayloadConverted() throws Exception {
        TakesOrders listener = new TakesOrders();
        try (Listeners application = Listeners.start(SharedBroker.queue(), listener)) {
            application.template().convertAndSend(address(application), new Order("book", 2));
            assertThat(listener.next()).isEqualTo(new Order("book", 2));
            application.template().convertAndSend(address(application), "{\"item\":\"pen\",\"count\":1}");
            assertThat(listener.next()).as("text without a content type").isEqualTo(new Order("pen", 1));
        }
    }

    static class TakesEverything extends Collecting<List<Object>> {
        @RingtableListener("${address}")
        void take(
                String text,
                @Header("country") String country,
                @Header(RingtableHeaders.DELIVERY_COUNT) int deliveries,
                @Headers Map<String, Object> headers,
                Message<byte[]> message,
                ReceivedMessage received) {
            got.add(List.of(
                    text,
                    country,
                    deliveries,
                    headers.get(RingtableHeaders.SUBJECT),
                    new String(message.getPayload(), StandardCharsets.UTF_8),
                    received.messageId().orElseThrow()));
        }
    }

    @Test
    void aMethodGetsHeadersAndMessagesOfBothKinds() throws Exception {
        TakesEverything listener = new TakesEverything();
        try (Listeners application = Listeners.start(SharedBroker.queue(), listener)) {
            application
                    .template()
                    .convertAndSend(
                            address(application),
                            "hello",
                            Map.of(
                                    "country",
                                    "PT",
                                    RingtableHeaders.SUBJECT,
                                    "greeting",
                                    RingtableHeaders.MESSAGE_ID,
                                    "m-1"));
            assertThat(listener.next()).containsExactly("hello", "PT", 1, "greeting", "hello", "m-1");
        }
    }

    static class FailsOnce extends Collecting<Integer> {
        @RingtableListener("${address}")
        void take(String text, @Header(RingtableHeaders.DELIVERY_COUNT) int deliveries) {
            got.add(deliveries);
            if (deliveries == 1) {
                throw new IllegalStateException("no seat");
            }
        }
    }

    @Test
    void aMessageWhoseMethodThrowsComesAgainCounted() throws Exception {
        FailsOnce listener = new FailsOnce();
        try (Listeners application = Listeners.start(SharedBroker.queue(), listener)) {
            application.template().convertAndSend(address(application), "one");
            assertThat(List.of(listener.next(), listener.next())).containsExactly(1, 2);
        }
    }

    static class AlwaysFails {
        @RingtableListener("${address}")
        void take(String text) {
            throw new IllegalStateException("no seat");
        }
    }

    @Test
    void aMessageThatFailsTooOftenIsADeadLetter() {
        String address = SharedBroker.queue();
        try (Listeners application = Listeners.start(address, new AlwaysFails())) {
            application.template().convertAndSend(address, "one");
            DeadLetter letter = deadLetterOf(address);
            assertThat(letter.failures()).isEqualTo(2);
        }
    }

    @Test
    void aMessageThatCannotBeReadIsADeadLetterAtOnceAndHoldsUpNobody() throws Exception {
        TakesOrders listener = new TakesOrders();
        String address = SharedBroker.queue();
        try (Listeners application = Listeners.start(address, listener)) {
            application.template().convertAndSend(address, "no JSON");
            application.template().convertAndSend(address, new Order("book", 1));
            assertThat(listener.next().item()).isEqualTo("book");
            DeadLetter letter = deadLetterOf(address);
            assertThat(letter.reason()).contains("RT-5046").contains("TakesOrders.take");
            assertThat(letter.failures()).isZero();
        }
    }

    @Test
    void theErrorHandlerDecides() {
        String address = SharedBroker.queue();
        try (Listeners application = Listeners.start(
                address,
                new AlwaysFails(),
                factory -> factory.setErrorHandler((message, failure) ->
                        Settlement.reject("decided: " + failure.getCause().getMessage())))) {
            application.template().convertAndSend(address, "one");
            assertThat(deadLetterOf(address).reason()).contains("decided: no seat");
        }
    }

    static class SettlesLater extends Collecting<Acknowledgment> {
        @RingtableListener(addresses = "${address}", ackMode = AckMode.MANUAL, prefetch = "1")
        void take(String text, Acknowledgment acknowledgment) {
            got.add(acknowledgment);
        }
    }

    @Test
    void inModeManualTheApplicationSettlesWhenItLikes() throws Exception {
        SettlesLater listener = new SettlesLater();
        try (Listeners application = Listeners.start(SharedBroker.queue(), listener)) {
            application.template().convertAndSend(address(application), "one");
            application.template().convertAndSend(address(application), "two");
            Acknowledgment first = listener.next();
            assertThat(listener.got)
                    .as("nothing more comes while one is not settled")
                    .isEmpty();
            assertThat(first.acknowledge()).isTrue();
            assertThat(first.acknowledge()).as("the first counts").isFalse();
            assertThat(listener.next().reject("no room")).isTrue();
            assertThat(deadLetterOf(address(application)).reason()).contains("no room");
        }
    }

    static class TakesBatches extends Collecting<List<Order>> {
        @RingtableListener(addresses = "${address}", batch = true, batchSize = "3", autoStartup = "false", id = "batch")
        void take(List<Order> orders) {
            got.add(orders);
        }
    }

    @Test
    void aBatchHasWhatHasArrivedUpToItsSizeWithoutWhatCannotBeRead() throws Exception {
        TakesBatches listener = new TakesBatches();
        String address = SharedBroker.queue();
        try (Listeners application = Listeners.start(address, listener)) {
            for (int n = 0; n < 5; n++) {
                application.template().convertAndSend(address, n == 1 ? "no JSON" : new Order("book", n));
            }
            application.registry().container("batch").start();
            List<Order> all = new ArrayList<>();
            while (all.size() < 4) {
                List<Order> batch = listener.next();
                assertThat(batch).hasSizeBetween(1, 3);
                all.addAll(batch);
            }
            assertThat(all.stream().map(Order::count)).containsExactly(0, 2, 3, 4);
            assertThat(deadLetterOf(address).reason()).contains("RT-5046");
        }
    }

    static class Answers {
        @RingtableListener("${address}")
        @SendTo("${answers}")
        Order answer(Order order) {
            return new Order(order.item(), order.count() + 1);
        }
    }

    @Test
    void whatTheMethodReturnsGoesToTheAddressOfTheMessageOrElseToThatOfTheMethod() {
        String answers = SharedBroker.queue();
        String others = SharedBroker.queue();
        String address = SharedBroker.queue();
        try (Listeners application = Listeners.start(
                SharedBroker.client(), Map.of("address", address, "answers", answers), new Answers(), factory -> {})) {
            application
                    .template()
                    .convertAndSend(address, new Order("book", 1), Map.of(RingtableHeaders.MESSAGE_ID, "m-1"));
            ReceivedMessage answer = received(application, answers);
            assertThat(answer.json(Order.class)).isEqualTo(new Order("book", 2));
            assertThat(answer.correlationId()).contains("m-1");
            application
                    .template()
                    .convertAndSend(
                            address,
                            new Order("pen", 1),
                            Map.of(RingtableHeaders.REPLY_TO, others, RingtableHeaders.CORRELATION_ID, "c-1"));
            answer = received(application, others);
            assertThat(answer.correlationId()).contains("c-1");
        }
    }

    static class TakesGroups {
        final Map<String, List<Integer>> numbers = new java.util.concurrent.ConcurrentHashMap<>();
        final java.util.Set<String> threads = java.util.concurrent.ConcurrentHashMap.newKeySet();

        @RingtableListener(addresses = "${address}", concurrency = "4", prefetch = "10")
        void take(String number, @Header(RingtableHeaders.GROUP_ID) String group) {
            threads.add(Thread.currentThread().getName());
            numbers.computeIfAbsent(group, any -> Collections.synchronizedList(new ArrayList<>()))
                    .add(Integer.parseInt(number));
        }
    }

    @Test
    void severalConsumersKeepTheOrderOfEachGroup() {
        TakesGroups listener = new TakesGroups();
        String address = SharedBroker.queue();
        try (Listeners application = Listeners.start(address, listener)) {
            for (int n = 0; n < 100; n++) {
                for (String group : List.of("a", "b", "c", "d", "e", "f", "g", "h")) {
                    application
                            .template()
                            .sendAsync(address, Integer.toString(n), Map.of(RingtableHeaders.GROUP_ID, group));
                }
            }
            await().until(() ->
                    listener.numbers.values().stream().mapToInt(List::size).sum() == 800);
            assertThat(listener.numbers.values())
                    .hasSize(8)
                    .allSatisfy(numbers -> assertThat(numbers).isSorted().hasSize(100));
            assertThat(listener.threads).hasSizeGreaterThan(1);
        }
    }

    private static String address(Listeners application) {
        return application
                .registry()
                .containers()
                .iterator()
                .next()
                .endpoint()
                .subscriptions()
                .get(0)
                .address()
                .toString();
    }

    private static ReceivedMessage received(Listeners application, String address) {
        return application.template().receive(address, SOON, message -> message).orElseThrow();
    }
}
