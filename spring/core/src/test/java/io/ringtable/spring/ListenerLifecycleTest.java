package io.ringtable.spring;

import static io.ringtable.spring.SharedBroker.NOTHING_MORE;
import static io.ringtable.spring.SharedBroker.SOON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ringtable.client.Address;
import io.ringtable.client.Message;
import io.ringtable.client.Publisher;
import io.ringtable.client.ReceivedMessage;
import io.ringtable.client.Receiver;
import io.ringtable.client.RingtableClient;
import io.ringtable.spring.annotation.RingtableListener;
import io.ringtable.spring.listener.AckMode;
import io.ringtable.spring.listener.RingtableListenerContainer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

/** How listeners start, stop, grow, and come back; on the broker itself. */
@Timeout(120)
@ExtendWith(SharedBroker.class)
class ListenerLifecycleTest {
    private final String address = SharedBroker.queue();

    /** Holds each call until the test lets it end. */
    static class Held {
        final Semaphore begun = new Semaphore(0);
        final Semaphore mayEnd = new Semaphore(0);
        final List<String> texts = new CopyOnWriteArrayList<>();
        volatile boolean interrupted;

        @RingtableListener(id = "held", addresses = "${address}")
        void take(String text) {
            texts.add(Thread.currentThread().getName() + " " + text);
            begun.release();
            try {
                mayEnd.acquire();
            } catch (InterruptedException stop) {
                interrupted = true;
            }
        }

        void awaitBegun(int calls) throws InterruptedException {
            assertThat(begun.tryAcquire(calls, SOON.toSeconds(), TimeUnit.SECONDS))
                    .as("%s calls have begun", calls)
                    .isTrue();
        }
    }

    @Test
    void aStopWaitsForTheCallThatIsUnderWayAndGivesTheRestBackUncounted() throws Exception {
        Held listener = new Held();
        try (Listeners application = Listeners.start(address, listener)) {
            for (String text : List.of("one", "two", "three")) {
                application.template().convertAndSend(address, text);
            }
            listener.awaitBegun(1);
            CompletableFuture<Void> stopped = new CompletableFuture<>();
            application.registry().container("held").stop(() -> stopped.complete(null));
            assertThat(application.registry().container("held").isRunning()).isFalse();
            assertThatThrownBy(() -> stopped.get(NOTHING_MORE.toMillis(), TimeUnit.MILLISECONDS))
                    .as("the stop waits")
                    .isInstanceOf(TimeoutException.class);
            listener.mayEnd.release();
            assertThat(stopped).succeedsWithin(SOON);
            assertThat(listener.texts).hasSize(1);
            assertThat(listener.interrupted).isFalse();
            assertThat(application.registry().container("held").activeConsumers())
                    .isZero();

            try (Receiver receiver = SharedBroker.client().receiver(address)) {
                for (String text : List.of("two", "three")) {
                    ReceivedMessage message = receiver.receive(SOON).orElseThrow();
                    assertThat(message.text()).isEqualTo(text);
                    assertThat(message.deliveryCount()).isEqualTo(1);
                    message.acknowledge();
                }
                assertThat(receiver.receive(NOTHING_MORE))
                        .as("one was acknowledged")
                        .isEmpty();
            }
        }
    }

    @Test
    void aCallThatTakesLongerThanTheShutdownTimeoutIsInterruptedAndItsMessageComesAgain() throws Exception {
        Held listener = new Held();
        try (Listeners application =
                Listeners.start(address, listener, factory -> factory.setShutdownTimeout(Duration.ofMillis(20)))) {
            application.template().convertAndSend(address, "one");
            listener.awaitBegun(1);
            application.registry().stop();
            await().untilAsserted(() -> assertThat(listener.interrupted).isTrue());
            assertThat(application.template().receive(address, SOON, ReceivedMessage::isRedelivered))
                    .contains(true);
        }
    }

    @Test
    void aListenerStartsAndStopsByItsIdAnyNumberOfTimes() throws Exception {
        Held listener = new Held();
        listener.mayEnd.release(10);
        try (Listeners application = Listeners.start(address, listener, factory -> factory.setAutoStartup(false))) {
            RingtableListenerContainer container = application.registry().container("held");
            assertThat(container.isRunning()).isFalse();
            for (int n = 0; n < 3; n++) {
                application.template().convertAndSend(address, "message " + n);
                assertThat(listener.texts).hasSize(n);
                container.start();
                container.start();
                listener.awaitBegun(1);
                assertThat(container.activeConsumers()).isEqualTo(1);
                container.stop();
                container.stop();
            }
            assertThatThrownBy(() -> application.registry().container("other"))
                    .hasMessage("RT-5049 no listener has the id 'other': there are [held]");
        }
    }

    static class StopsItself {
        final CountDownLatch stopped = new CountDownLatch(1);
        Listeners application;

        @RingtableListener(id = "self", addresses = "${address}", autoStartup = "false")
        void take(String text) {
            application.registry().container("self").stop();
            stopped.countDown();
        }
    }

    @Test
    void aListenerMayStopItself() throws Exception {
        StopsItself listener = new StopsItself();
        try (Listeners application = Listeners.start(address, listener)) {
            listener.application = application;
            application.registry().container("self").start();
            application.template().convertAndSend(address, "one");
            assertThat(listener.stopped.await(SOON.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            await().until(() -> application.registry().container("self").activeConsumers() == 0);
            assertThat(application.template().receive(address, NOTHING_MORE, ReceivedMessage::text))
                    .as("its message is acknowledged")
                    .isEmpty();
        }
    }

    static class Grows extends Held {
        @Override
        @RingtableListener(id = "grows", addresses = "${address}", concurrency = "1-3", prefetch = "10")
        void take(String text) {
            super.take(text);
        }
    }

    @Test
    void consumersJoinUnderLoadAndLeaveWithoutIt() throws Exception {
        Grows listener = new Grows();
        try (Listeners application = Listeners.start(
                address, listener, factory -> factory.setScaling(Duration.ZERO, Duration.ofMillis(200)))) {
            RingtableListenerContainer container = application.registry().container("grows");
            assertThat(container.activeConsumers()).isEqualTo(1);
            int messages = 200;
            for (int n = 0; n < messages; n++) {
                application.template().sendAsync(address, "message " + n);
            }
            listener.awaitBegun(1);
            await().until(() -> {
                listener.mayEnd.release();
                return container.activeConsumers() == 3;
            });
            listener.mayEnd.release(messages);
            listener.awaitBegun(messages - 1);
            await().until(() -> container.activeConsumers() == 1);
            application.template().convertAndSend(address, "later");
            listener.awaitBegun(1);
        }
    }

    @Test
    void aListenerComesBackWhenItsAddressWasDeleted() throws Exception {
        Held listener = new Held();
        listener.mayEnd.release(10);
        try (Listeners application =
                Listeners.start(address, listener, factory -> factory.setRecoveryInterval(Duration.ofMillis(20)))) {
            application.template().convertAndSend(address, "one");
            listener.awaitBegun(1);
            SharedBroker.client().deleteEvenIfUsed(Address.of(address)); // ends the listener's link
            try (Publisher publisher = SharedBroker.client().publisher(address)) {
                publisher.publishAndWait(Message.text("two"));
            }
            listener.awaitBegun(1);
            RingtableListenerContainer container = application.registry().container("held");
            await().until(() -> container.lastFailure().isEmpty());
        }
    }

    @Test
    void aListenerWhoseClientIsClosedEndsAndSaysWhy() {
        Held listener = new Held();
        RingtableClient client = SharedBroker.connect("closed-" + address).connect();
        try (Listeners application = Listeners.start(client, Map.of("address", address), listener, factory -> {})) {
            RingtableListenerContainer container = application.registry().container("held");
            client.close();
            await().until(() -> container.activeConsumers() == 0);
            assertThat(container.lastFailure()).isPresent();
        }
    }

    @Test
    void theApplicationsExecutorRunsTheConsumers() throws Exception {
        Held listener = new Held();
        listener.mayEnd.release(1);
        try (Listeners application = Listeners.start(
                address, listener, factory -> factory.setTaskExecutor(new SimpleAsyncTaskExecutor("own-")))) {
            application.template().convertAndSend(address, "one");
            listener.awaitBegun(1);
            assertThat(listener.texts).singleElement().asString().startsWith("own-");
        }
    }

    static class InterruptsItself {
        final Semaphore done = new Semaphore(0);

        @RingtableListener("${address}")
        void take(String text) {
            Thread.currentThread().interrupt();
            done.release();
        }
    }

    @Test
    void aMethodThatLeavesItsThreadInterruptedIsCalledForTheNextMessageToo() throws Exception {
        InterruptsItself listener = new InterruptsItself();
        try (Listeners application = Listeners.start(address, listener)) {
            for (int n = 0; n < 3; n++) {
                application.template().convertAndSend(address, "message " + n);
            }
            assertThat(listener.done.tryAcquire(3, SOON.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
        }
    }

    static class Forgets {
        final CountDownLatch got = new CountDownLatch(1);

        @RingtableListener(addresses = "${address}", ackMode = AckMode.MANUAL)
        void take(ReceivedMessage message) {
            got.countDown();
        }
    }

    @Test
    void whatNobodySettledInModeManualComesAgainAfterTheStop() throws Exception {
        Forgets listener = new Forgets();
        try (Listeners application = Listeners.start(address, listener)) {
            application.template().convertAndSend(address, "one");
            assertThat(listener.got.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
            application.registry().stop();
            assertThat(application.template().receive(address, SOON, ReceivedMessage::text))
                    .contains("one");
        }
    }
}
