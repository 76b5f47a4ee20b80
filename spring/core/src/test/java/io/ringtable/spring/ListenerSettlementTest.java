package io.ringtable.spring;

import static io.ringtable.spring.SharedBroker.deadLetterOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.client.ReceivedMessage.DeadLetter;
import io.ringtable.spring.annotation.RingtableListener;
import io.ringtable.spring.listener.AckMode;
import io.ringtable.spring.listener.Acknowledgment;
import io.ringtable.spring.listener.Settlement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests what becomes of messages whose method throws, which are settled later, or which come in batches. */
@Timeout(120)
@ExtendWith(SharedBroker.class)
class ListenerSettlementTest {

    @Test
    void aMessageWhoseMethodThrowsComesAgainCounted() throws Exception {
        FailsOnce listener = new FailsOnce();
        try (Listeners application = Listeners.start(SharedBroker.queue(), listener)) {
            application.template().convertAndSend(application.address(), "one");
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
            application.template().convertAndSend(application.address(), "one");
            application.template().convertAndSend(application.address(), "two");
            Acknowledgment first = listener.next();
            assertThat(listener.got)
                    .as("nothing more comes while one is not settled")
                    .isEmpty();
            assertThat(first.acknowledge()).isTrue();
            assertThat(first.acknowledge()).as("the first counts").isFalse();
            assertThat(listener.next().reject("no room")).isTrue();
            assertThat(deadLetterOf(application.address()).reason()).contains("no room");
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

    static class FailsAtOneOfABatch extends Collecting<List<String>> {
        @RingtableListener(addresses = "${address}", batch = true, autoStartup = "false", id = "batch")
        void take(List<String> texts) {
            got.add(texts);
            if (texts.contains("bad")) {
                throw new IllegalStateException("one is bad");
            }
        }
    }

    @Test
    void aBadMessageOfABatchDoesNotTakeTheOthersWithIt() throws Exception {
        FailsAtOneOfABatch listener = new FailsAtOneOfABatch();
        String address = SharedBroker.queue();
        try (Listeners application = Listeners.start(address, listener)) {
            for (String text : List.of("one", "bad", "three")) {
                application.template().convertAndSend(address, text);
            }
            application.registry().container("batch").start();
            assertThat(deadLetterOf(address).failures()).isEqualTo(2);
            await().untilAsserted(() -> assertThat(listener.got.stream()
                            .filter(call -> !call.contains("bad"))
                            .flatMap(List::stream))
                    .containsExactlyInAnyOrder("one", "three"));
            assertThat(listener.got.stream().filter(List.of("bad")::equals))
                    .as("alone, whatever had arrived for its first call")
                    .hasSize(2);
        }
    }
}
