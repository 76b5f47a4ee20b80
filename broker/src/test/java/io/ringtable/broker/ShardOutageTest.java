package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.ringtable.broker.access.Identity;
import io.ringtable.broker.admin.ShardHealth;
import io.ringtable.broker.amqp.transport.ServerTls;
import io.ringtable.broker.management.Caller;
import io.ringtable.broker.management.ManagementAnswer;
import io.ringtable.broker.management.ManagementJson;
import io.ringtable.broker.management.ManagementRequest;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.metrics.CommitMeters;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.status.BrokerState.Phase;
import io.ringtable.broker.status.ShardStatus;
import io.ringtable.broker.store.Ownership;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.watermark.Watermarks;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSRuntimeException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import tools.jackson.databind.JsonNode;

/** A whole broker with three shards on real SQLite files: what it says while one of them is not served. */
class ShardOutageTest {
    /** Stands between a shard and its store. */
    @FunctionalInterface
    private interface Plan {
        /** Returns what the verb answers; null = as the store does. */
        Object instead(int shard, String verb);
    }

    private static final int SHARDS = 3;
    private static final Plan NONE = (shard, verb) -> null;

    @TempDir
    Path directory;

    private final CommitMeters meters = new CommitMeters(new SimpleMeterRegistry(), SHARDS);
    private final AtomicInteger stores = new AtomicInteger(); // opened so far, by number
    private volatile Plan plan = NONE;
    private RingtableBroker broker;

    private void start(String restartDelay) {
        TestSettings settings = TestSettings.of(
                "ringtable.shards",
                SHARDS,
                "ringtable.lease",
                "2s",
                "ringtable.restart.delay",
                restartDelay,
                "ringtable.restart.delay-max",
                "1m");
        broker = new RingtableBroker(
                StoreSettings.embedded(directory),
                settings.shard(),
                settings.amqp(),
                new ServerTls(settings.amqp().tls()),
                settings.logins(),
                meters,
                Watermarks.none(),
                this::planned);
        broker.start();
    }

    @AfterEach
    void stop() {
        plan = NONE;
        broker.close();
    }

    private RingStore planned(RingStore store) {
        int shard = stores.getAndIncrement();
        return (RingStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {RingStore.class}, (proxy, method, arguments) -> {
                    Object instead = plan.instead(shard, method.getName());
                    if (instead != null) {
                        return instead;
                    }
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException failure) {
                        throw failure.getCause();
                    }
                });
    }

    @Test
    void aShardThatAnotherNodeOwnsIsNamedAndTheNodeIsNotReadyBeforeItHasAll() {
        plan = (shard, verb) ->
                shard == 1 && verb.equals("acquire") ? new Ownership.HeldBy("the other", 7, 60_000) : null;
        start("1s");

        assertThat(broker.state().phase()).isEqualTo(Phase.STANDBY);
        assertThat(broker.state().text()).startsWith("standing by: node the other owns shard 1, epoch 7");
        assertThat(broker.status().shard()).isNull();
        assertThat(health().getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
        assertThat(notServed().get("0")).startsWith("STARTING: taken, epoch ");
        assertThat(notServed().get("1")).startsWith("STANDBY: node the other owns shard 1, epoch 7");
        assertThat(notServed().get("2")).isEqualTo("STARTING: not taken yet");
        JsonNode listed = listed();
        assertThat(listed.path("items").size()).isEqualTo(SHARDS);
        assertThat(listed.path("items").path(1).path("state").asString()).isEqualTo("STANDBY");
        assertThat(listed.path("items").path(1).has("filled")).isFalse();

        plan = NONE;

        await().until(() -> broker.state().isActive());
        assertThat(health().getStatus()).isEqualTo(Status.UP);
        assertThat(health().getDetails()).doesNotContainKey("shards");
        assertThat(phases()).containsExactly(Phase.ACTIVE, Phase.ACTIVE, Phase.ACTIVE);
        assertThat(listed().path("items").path(1).path("filled").isNumber()).isTrue();
    }

    @Test
    void allShardsStartAnewTogetherAndTheOneThatFailedIsNamed() {
        start("1m"); // longer than the test: closing the broker ends the wait
        String queue = queueIn(2);
        plan = (shard, verb) -> {
            if (shard == 2 && verb.equals("flush")) {
                throw new OutOfMemoryError("of the test");
            }
            return null;
        };

        publish(queue);

        await().until(() -> broker.state().failures().nextTry() != null);
        assertThat(broker.state().text()).contains("RT-2311", "shard 2: ", "of the test");
        assertThat(phases()).containsExactly(Phase.RESTARTING, Phase.RESTARTING, Phase.RESTARTING);
        assertThat(notServed().get("2")).contains("of the test");
        assertThat(notServed().get("0")).isEqualTo("RESTARTING: ended with shard 2");
    }

    @Test
    void aStoreWithoutWritesIsNamedUntilItsOwnShardWritesAgain() {
        start("1s");
        String stuck = queueIn(1);
        String other = queueIn(0);
        plan = (shard, verb) -> {
            if (shard == 1 && verb.equals("flush")) {
                throw new StoreFailure(StoreFailure.Kind.NOT_WRITABLE, "RT-3099", "no space, in the test");
            }
            return null;
        };

        assertThat(publish(stuck)).isFalse();
        assertThat(publish(other)).isTrue();

        assertThat(meters.trouble()).startsWith("shard 1: ").contains("RT-3099");
        assertThat(health().getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
        assertThat(phases()).containsExactly(Phase.ACTIVE, Phase.ACTIVE, Phase.ACTIVE);

        plan = NONE;

        await().until(() -> publish(stuck));
        assertThat(meters.trouble()).isNull();
        assertThat(health().getStatus()).isEqualTo(Status.UP);
    }

    private Health health() {
        return new ShardHealth(broker::status, meters::trouble, broker::inboxTrouble).health();
    }

    /** The reasons that health gives for shards that are not served, by their numbers. */
    @SuppressWarnings("unchecked")
    private Map<String, String> notServed() {
        return (Map<String, String>) health().getDetails().get("shards");
    }

    private List<Phase> phases() {
        return broker.status().shards().stream().map(ShardStatus::phase).toList();
    }

    private JsonNode listed() {
        ManagementAnswer answer = broker.management()
                .handle(new ManagementRequest(
                        "GET", "/shards", Map.of(), null, new Caller(Identity.ANONYMOUS, "http", "127.0.0.1")))
                .toCompletableFuture()
                .join();
        return ManagementJson.MAPPER.valueToTree(answer.body());
    }

    /** Creates queues until one lives in the shard. */
    private String queueIn(int shard) {
        for (int i = 0; ; i++) {
            long id = broker.shard()
                    .catalog()
                    .ensure("work." + i, AddressKind.QUEUE)
                    .toCompletableFuture()
                    .join()
                    .id();
            if (ShardIds.shardOf(id) == shard) {
                return "work." + i;
            }
        }
    }

    /** @return whether the broker has accepted the message */
    private boolean publish(String queue) {
        try (JMSContext context = new JmsConnectionFactory("amqp://127.0.0.1:" + broker.amqpPort()).createContext()) {
            context.createProducer().send(context.createQueue(queue), "one");
            return true;
        } catch (JMSRuntimeException refused) {
            return false;
        }
    }
}
