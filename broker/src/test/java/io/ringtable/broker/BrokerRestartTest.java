package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.ringtable.broker.admin.BrokerLiveness;
import io.ringtable.broker.amqp.transport.ServerTls;
import io.ringtable.broker.dispatch.consumer.Consumer;
import io.ringtable.broker.dispatch.consumer.DispatcherMailbox;
import io.ringtable.broker.metrics.CommitMeters;
import io.ringtable.broker.status.BrokerState;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.watermark.Watermarks;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSRuntimeException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.health.contributor.Status;

/** A whole broker on a real SQLite file, whose agents end: it starts its shard anew, or says that it is not alive. */
class BrokerRestartTest {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int TRIES = 3;
    private static final IntFunction<Throwable> NEVER = call -> null;

    @TempDir
    Path directory;

    private final Map<String, IntFunction<Throwable>> plans = new ConcurrentHashMap<>(); // by verb
    private final Map<String, AtomicInteger> calls = new ConcurrentHashMap<>(); // since its plan was made
    private final CommitMeters meters = new CommitMeters(new SimpleMeterRegistry(), 1);
    private RingtableBroker broker;

    private void start() {
        start("20ms", "100ms");
    }

    private void start(String delay, String delayMax) {
        TestSettings settings = TestSettings.of(
                "ringtable.lease", "2s",
                "ringtable.restart.tries-max", TRIES,
                "ringtable.restart.delay", delay,
                "ringtable.restart.delay-max", delayMax);
        broker = new RingtableBroker(
                StoreSettings.embedded(directory),
                settings.shard(),
                settings.amqp(),
                new ServerTls(settings.amqp().tls()),
                settings.logins(),
                meters,
                Watermarks.none(),
                this::faulty);
        broker.start();
    }

    @AfterEach
    void stop() {
        plans.clear();
        broker.close();
    }

    private RingStore faulty(RingStore store) {
        return (RingStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {RingStore.class}, (proxy, method, arguments) -> {
                    int call = calls.computeIfAbsent(method.getName(), verb -> new AtomicInteger())
                            .incrementAndGet();
                    Throwable fault =
                            plans.getOrDefault(method.getName(), NEVER).apply(call);
                    if (fault != null) {
                        throw fault;
                    }
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException failure) {
                        throw failure.getCause();
                    }
                });
    }

    private void plan(String verb, IntFunction<Throwable> faults) {
        calls.remove(verb);
        plans.put(verb, faults);
    }

    @Test
    void troubleOfAnEarlierTimeOfOwningTheShardIsNotReportedForEver() throws Exception {
        start();
        List<String> accepted = publish(10);
        plan("recover", call -> call == 1 ? new IllegalStateException("it ends in the middle of its trouble") : null);
        plan(
                "flush",
                call -> call == 1
                        ? new StoreFailure(StoreFailure.Kind.OUTCOME_UNKNOWN, "RT-3099", "the answer was lost")
                        : null);
        publish(1);
        awaitFailures(1);
        awaitActive();
        assertThat(meters.trouble()).isNull();
        assertThat(receive(accepted.size())).containsSubsequence(accepted);
    }

    @Test
    void aCommitterThatEndsOnceIsStartedAnewAndNothingAcceptedIsLost() throws Exception {
        start();
        List<String> accepted = publish(200);
        plan("flush", call -> call == 1 ? new OutOfMemoryError("of the test") : null);
        accepted.addAll(publish(1)); // refused, or lost with its connection
        awaitFailures(1);
        awaitActive();
        accepted.addAll(publish(100));
        assertThat(receive(accepted.size())).containsSubsequence(accepted);
        assertThat(accepted).hasSizeGreaterThanOrEqualTo(300);
        assertThat(broker.state().failures().last()).contains("OutOfMemoryError");
        assertThat(liveness()).isEqualTo(Status.UP);
    }

    @Test
    void aDispatcherThatEndsIsStartedAnew() throws Exception {
        start();
        List<String> accepted = publish(50);
        endDispatcher();
        awaitFailures(1);
        awaitActive();
        assertThat(receive(50)).isEqualTo(accepted);
    }

    @Test
    void aHouseholdThatFailsIsStartedAnew() throws Exception {
        start();
        List<String> accepted = publish(10);
        plan("renew", call -> call == 1 ? new NoClassDefFoundError("of the test") : null);
        awaitFailures(1);
        awaitActive();
        assertThat(receive(10)).isEqualTo(accepted);
    }

    @Test
    void afterItsTriesItIsNotAliveAndSaysWhy() throws Exception {
        start();
        publish(10);
        plan("recover", call -> new IllegalStateException("recovery fails in the test"));
        endDispatcher();
        await().atMost(SOON).until(() -> broker.state().phase() == BrokerState.Phase.FAILED);
        assertThat(calls.get("recover")).hasValue(TRIES);
        assertThat(broker.state().text()).contains("RT-2312", "recovery fails in the test", (TRIES + 1) + " failures");
        assertThat(broker.state().failures().inARow()).isEqualTo(TRIES + 1);
        assertThat(broker.amqpPort()).isEqualTo(-1);
        assertThat(liveness()).isEqualTo(Status.DOWN);
    }

    @Test
    void whileItWaitsItIsAliveAndSaysWhenItTriesAgain() throws Exception {
        start("1m", "1m"); // longer than the test: closing the broker ends the wait
        publish(10);
        endDispatcher();
        await().atMost(SOON).until(() -> broker.state().failures().nextTry() != null);
        BrokerState waiting = broker.state();
        assertThat(waiting.phase()).isEqualTo(BrokerState.Phase.RESTARTING);
        assertThat(waiting.text()).contains("RT-2311");
        assertThat(waiting.failures().triesMax()).isEqualTo(TRIES);
        assertThat(liveness()).isEqualTo(Status.UP);
    }

    @ParameterizedTest
    @ValueSource(strings = {"CORRUPT", "UNSUPPORTED"})
    void tablesThatContradictThemselvesAreNotReadAgainAndAgain(String kind) throws Exception {
        start();
        publish(10);
        plan("recover", call -> new StoreFailure(StoreFailure.Kind.valueOf(kind), "RT-3099", "of the test"));
        endDispatcher();
        await().atMost(SOON).until(() -> broker.state().phase() == BrokerState.Phase.FAILED);
        assertThat(calls.get("recover")).hasValue(1);
        assertThat(broker.state().text()).contains("RT-2319", "RT-3099");
        assertThat(liveness()).isEqualTo(Status.DOWN);
    }

    private Status liveness() {
        return new BrokerLiveness(broker::state).health().getStatus();
    }

    private void awaitFailures(int total) {
        await().atMost(SOON).until(() -> broker.state().failures().total() == total);
    }

    private void awaitActive() {
        await().atMost(SOON).until(() -> broker.state().isActive());
    }

    /** A listener of this process that throws on the dispatcher's thread. */
    private void endDispatcher() throws Exception {
        var shard = broker.shard();
        var topic = shard.catalog()
                .ensure("ends-the-dispatcher", null)
                .toCompletableFuture()
                .get();
        Consumer consumer = (Consumer) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Consumer.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "hashCode" -> 1;
                    case "equals" -> proxy == arguments[0];
                    case "selector" -> null;
                    default -> throw new LinkageError("of the test");
                });
        DispatcherMailbox dispatcher = shard.homeOf(topic).dispatcher();
        dispatcher.attach(consumer, shard.lookup().readerOf(topic));
        dispatcher.credit(consumer, 1, true);
    }

    private JMSContext connect() {
        return new JmsConnectionFactory("amqp://127.0.0.1:" + broker.amqpPort()).createContext();
    }

    /** @return bodies of those that were accepted */
    private List<String> publish(int messages) {
        List<String> accepted = new ArrayList<>();
        try (JMSContext context = connect()) {
            for (int i = 0; i < messages; i++) {
                String body = "message " + System.nanoTime();
                context.createProducer().send(context.createQueue("orders"), body);
                accepted.add(body);
            }
        } catch (JMSRuntimeException refused) {
            assertThat(refused.getCause()).isInstanceOf(JMSException.class);
        }
        return accepted;
    }

    private List<String> receive(int atLeast) {
        List<String> bodies = new ArrayList<>();
        try (JMSContext context = connect();
                var consumer = context.createConsumer(context.createQueue("orders"))) {
            while (bodies.size() < atLeast) {
                String body = consumer.receiveBody(String.class, SOON.toMillis());
                assertThat(body)
                        .as("message " + bodies.size() + " of " + atLeast)
                        .isNotNull();
                bodies.add(body);
            }
        }
        return bodies;
    }
}
