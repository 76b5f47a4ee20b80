package io.ringtable.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.ringtable.client.ReceivedMessage;
import io.ringtable.client.RingtableException;
import io.ringtable.client.jdbc.TransactionalAcknowledger;
import io.ringtable.spring.annotation.RingtableListener;
import io.ringtable.spring.listener.AckMode;
import io.ringtable.spring.listener.Acknowledgment;
import io.ringtable.spring.listener.Concurrency;
import io.ringtable.spring.listener.RingtableListenerContainerFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.messaging.handler.annotation.SendTo;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/** Listeners that cannot work end the start of the application, with a code, the value and the cure. */
@Timeout(120)
@ExtendWith(SharedBroker.class)
class RefusedListenerTest {

    static Stream<Arguments> listeners() {
        return Stream.of(
                arguments(new NoAddress(), "RT-5040", "has no address", "name at least one"),
                arguments(new BadConcurrency(), "RT-5040", "concurrency '0'", "a range such as 1-4"),
                arguments(new BackwardConcurrency(), "RT-5040", "concurrency '4-1'", "a range such as 1-4"),
                arguments(new BadPrefetch(), "RT-5040", "prefetch 'many'", "a whole number from 1"),
                arguments(new BadAutoStartup(), "RT-5040", "autoStartup 'yes'", "use true or false"),
                arguments(new BadSince(), "RT-5040", "since 'yesterday'", "2026-11-21T10:00:00Z"),
                arguments(new SinceOfQueue(), "RT-5040", "since", "only a durable subscription"),
                arguments(
                        new DurableQueue(), "RT-5040", "durable subscription 'audit' to queue://", "leave durable out"),
                arguments(new SharedWithoutName(), "RT-5040", "shared=true", "name the subscription"),
                arguments(
                        new NeitherDurableNorShared(),
                        "RT-5040",
                        "'audit', neither durable nor shared",
                        "shared = true"),
                arguments(new TwoTopics(), "RT-5040", "subscription 'audit' and 2 addresses", "a listener for each"),
                arguments(new TopicInParallel(), "RT-5040", "concurrency 2 at topic://", "shared = true"),
                arguments(new BatchSizeWithoutBatch(), "RT-5040", "batchSize '5' without batch", "batch = true"),
                arguments(new TwoReplies(), "RT-5040", "@SendTo([a, b])", "exactly one address"),
                arguments(
                        new VolatileTransactional(),
                        "RT-5040",
                        "without a durable subscription",
                        "name a subscription"),
                arguments(new OtherFactory(), "RT-5041", "bean 'other'", "define it"),
                arguments(new NoTransactions(), "RT-5042", "ackMode TRANSACTIONAL", "setTransactions"),
                arguments(
                        new Asynchronous(),
                        "RT-5045",
                        "returns a " + CompletableFuture.class.getName(),
                        "ackMode MANUAL"),
                arguments(
                        new AcknowledgesInAuto(),
                        "RT-5045",
                        "an Acknowledgment with ackMode AUTO",
                        "set ackMode MANUAL"),
                arguments(new CannotAcknowledge(), "RT-5045", "no parameter to settle with", "take an Acknowledgment"),
                arguments(new BatchWithoutList(), "RT-5045", "0 parameters of type List", "exactly one List"),
                arguments(new BatchWithReply(), "RT-5045", "returns a java.lang.String", "return nothing"),
                arguments(new BatchOfOneMessage(), "RT-5045", "one ReceivedMessage", "take a List<ReceivedMessage>"),
                arguments(new SameId(), "RT-5048", "the id 'same'", "give each listener its own"),
                arguments(new SinceWithoutRetention(), "RT-5020", "RT-2027", "topic://"),
                arguments(new BrokenSelector(), "RT-5020", "RT-4064", "queue://"),
                arguments(new DurableWithoutClientId(), "RT-5022", "'audit'", "set clientId"));
    }

    @ParameterizedTest
    @MethodSource("listeners")
    void isRefusedWithItsCodeItsValueAndItsCure(Object listener, String code, String value, String cure) {
        assertThatThrownBy(() -> Listeners.start(
                                SharedBroker.client(),
                                Map.of("queue", SharedBroker.queue(), "topic", SharedBroker.topic()),
                                listener,
                                factory -> {})
                        .close())
                .satisfies(refused -> {
                    RingtableException ours = ours(refused);
                    assertThat(ours.code()).isEqualTo(code);
                    assertThat(ours).hasMessageContaining(value).hasMessageContaining(cure);
                });
    }

    /** Spring tells of a failed start in exceptions of its own, around ours. */
    private static RingtableException ours(Throwable failure) {
        Throwable cause = failure;
        while (!(cause instanceof RingtableException)) {
            assertThat(cause.getCause())
                    .as("a RingtableException below %s", failure)
                    .isNotNull();
            cause = cause.getCause();
        }
        return (RingtableException) cause;
    }

    @Test
    void settingsOfTheFactoryAreRefusedToo() {
        assertThatThrownBy(() -> start(factory -> factory.setPrefetch(0)))
                .hasStackTraceContaining("RT-5040 prefetch=0 < 1");
        assertThatThrownBy(() -> start(factory -> factory.setBatchSize(0)))
                .hasStackTraceContaining("RT-5040 batchSize=0 < 1");
        assertThatThrownBy(() -> start(factory -> factory.setShutdownTimeout(Duration.ofMillis(-1))))
                .hasStackTraceContaining("RT-5040 shutdownTimeout=PT-0.001S");
        assertThat(Concurrency.of(" 2 - 5 ")).isEqualTo(new Concurrency(2, 5)).hasToString("2-5");
        assertThat(Concurrency.of("3")).hasToString("3");
    }

    static class RepliesInTransaction {
        @RingtableListener(addresses = "${address}", ackMode = AckMode.TRANSACTIONAL)
        String answer(String text) {
            return text;
        }
    }

    @Test
    void repliesThatCannotBePartOfTheTransactionAreRefused() {
        DataSource dataSource = new DriverManagerDataSource("jdbc:postgresql://nowhere/none");
        assertThatThrownBy(() -> Listeners.start(
                        SharedBroker.queue(),
                        new RepliesInTransaction(),
                        factory -> factory.setTransactions(
                                new DataSourceTransactionManager(dataSource),
                                TransactionalAcknowledger.of(dataSource))))
                .hasMessageStartingWith("RT-5043 the reply of listener 'listeners.answer'")
                .hasMessageContaining("setTransactionalPublisher");
    }

    static class OneOfTwo {
        @RingtableListener(id = "one-that-starts", addresses = "${address}")
        @RingtableListener(addresses = "${address}", selector = "country = ")
        void take(String text) {}
    }

    @Test
    void aRefusedListenerLeavesNoThreadOfAnother() {
        assertThatThrownBy(() -> Listeners.start(SharedBroker.queue(), new OneOfTwo()))
                .hasStackTraceContaining("RT-4064");
        await().until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().contains("one-that-starts")));
    }

    @Test
    void aFactoryThatCannotBeMadeSaysWhyItself() {
        assertThatThrownBy(() -> Listeners.startLazily(SharedBroker.queue(), new NoTransactions(), factory -> {
                    throw new IllegalStateException("no broker there");
                }))
                .hasStackTraceContaining("no broker there")
                .satisfies(failure -> assertThat(failure.toString()).doesNotContain("RT-5041"));
    }

    static class TwoConsumers {
        @RingtableListener(addresses = "${address}", concurrency = "2")
        void take(String text) {}
    }

    @Test
    void anExecutorThatDoesNotTakeAllConsumersIsRefused() {
        ThreadPoolTaskExecutor executor = new ThreadPoolTaskExecutor();
        executor.setCorePoolSize(1);
        executor.setMaxPoolSize(1);
        executor.setQueueCapacity(0);
        executor.initialize();
        try {
            String address = SharedBroker.queue();
            assertThatThrownBy(() ->
                            Listeners.start(address, new TwoConsumers(), factory -> factory.setTaskExecutor(executor)))
                    .hasStackTraceContaining("RT-5040")
                    .hasStackTraceContaining(address + " has 2 consumers")
                    .hasStackTraceContaining("a thread for each consumer");
            await().until(() -> executor.getActiveCount() == 0);
        } finally {
            executor.shutdown();
        }
    }

    private static void start(Consumer<RingtableListenerContainerFactory> settings) {
        Listeners.start(SharedBroker.queue(), new NoAddress(), settings).close();
    }

    static class NoAddress {
        @RingtableListener
        void take(String text) {}
    }

    static class BadConcurrency {
        @RingtableListener(addresses = "${queue}", concurrency = "0")
        void take(String text) {}
    }

    static class BackwardConcurrency {
        @RingtableListener(addresses = "${queue}", concurrency = "4-1")
        void take(String text) {}
    }

    static class BadPrefetch {
        @RingtableListener(addresses = "${queue}", prefetch = "many")
        void take(String text) {}
    }

    static class BadAutoStartup {
        @RingtableListener(addresses = "${queue}", autoStartup = "yes")
        void take(String text) {}
    }

    static class BadSince {
        @RingtableListener(addresses = "${topic}", subscription = "audit", since = "yesterday")
        void take(String text) {}
    }

    static class SinceOfQueue {
        @RingtableListener(addresses = "${queue}", since = "2h")
        void take(String text) {}
    }

    static class DurableQueue {
        @RingtableListener(addresses = "${queue}", subscription = "audit")
        void take(String text) {}
    }

    static class SharedWithoutName {
        @RingtableListener(addresses = "${topic}", shared = true)
        void take(String text) {}
    }

    static class NeitherDurableNorShared {
        @RingtableListener(addresses = "${topic}", subscription = "audit", durable = false)
        void take(String text) {}
    }

    static class TwoTopics {
        @RingtableListener(
                addresses = {"${topic}", "topic://other"},
                subscription = "audit",
                shared = true)
        void take(String text) {}
    }

    static class TopicInParallel {
        @RingtableListener(addresses = "${topic}", concurrency = "2")
        void take(String text) {}
    }

    static class BatchSizeWithoutBatch {
        @RingtableListener(addresses = "${queue}", batchSize = "5")
        void take(String text) {}
    }

    static class TwoReplies {
        @RingtableListener("${queue}")
        @SendTo({"a", "b"})
        String take(String text) {
            return text;
        }
    }

    static class VolatileTransactional {
        @RingtableListener(addresses = "${topic}", ackMode = AckMode.TRANSACTIONAL)
        void take(String text) {}
    }

    static class OtherFactory {
        @RingtableListener(addresses = "${queue}", containerFactory = "other")
        void take(String text) {}
    }

    static class NoTransactions {
        @RingtableListener(addresses = "${queue}", ackMode = AckMode.TRANSACTIONAL)
        void take(String text) {}
    }

    static class Asynchronous {
        @RingtableListener("${queue}")
        CompletableFuture<Void> take(String text) {
            return CompletableFuture.completedFuture(null);
        }
    }

    static class AcknowledgesInAuto {
        @RingtableListener("${queue}")
        void take(String text, Acknowledgment acknowledgment) {}
    }

    static class CannotAcknowledge {
        @RingtableListener(addresses = "${queue}", ackMode = AckMode.MANUAL)
        void take(String text) {}
    }

    static class BatchWithoutList {
        @RingtableListener(addresses = "${queue}", batch = true)
        void take(String text) {}
    }

    static class BatchWithReply {
        @RingtableListener(addresses = "${queue}", batch = true)
        String take(List<String> texts) {
            return texts.toString();
        }
    }

    static class BatchOfOneMessage {
        @RingtableListener(addresses = "${queue}", batch = true)
        void take(List<String> texts, ReceivedMessage message) {}
    }

    static class SameId {
        @RingtableListener(id = "same", addresses = "${queue}")
        void take(String text) {}

        @RingtableListener(id = "same", addresses = "${queue}")
        void takeToo(String text) {}
    }

    static class SinceWithoutRetention {
        @RingtableListener(addresses = "${topic}", subscription = "from-before", shared = true, since = "1h")
        void take(String text) {}
    }

    static class BrokenSelector {
        @RingtableListener(addresses = "${queue}", selector = "country = ")
        void take(String text) {}
    }

    static class DurableWithoutClientId {
        @RingtableListener(addresses = "${topic}", subscription = "audit")
        void take(String text) {}
    }
}
