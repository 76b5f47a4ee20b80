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
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.watermark.Watermarks;
import jakarta.jms.CompletionListener;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.Message;
import jakarta.jms.Queue;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.health.contributor.Health;
import tools.jackson.databind.JsonNode;

/** A whole broker with three shards on real stores, of which tests let single ones fail. */
@Timeout(600)
abstract class ShardOutageScenario {
    /** Stands between a shard and its store. */
    @FunctionalInterface
    interface Plan {
        /** Returns what the verb answers; null = as the store does. */
        Object instead(int shard, String verb);
    }

    static final int SHARDS = 3;
    static final Plan NONE = (shard, verb) -> null;
    /** Messages that each neighbour gets while a shard is away. */
    private static final int GOES_ON = 2_000;

    final CommitMeters meters = new CommitMeters(new SimpleMeterRegistry(), SHARDS);
    private final AtomicInteger stores = new AtomicInteger(); // opened so far, by number
    volatile Plan plan = NONE;
    RingtableBroker broker;

    abstract StoreSettings store();

    final void start(String restartDelay) {
        TestSettings settings = TestSettings.of(
                "ringtable.shards",
                SHARDS,
                "ringtable.lease",
                "30s", // longer than a pause of the machine: no shard ends but those of the test
                "ringtable.restart.delay",
                restartDelay,
                "ringtable.restart.delay-max",
                "1m");
        broker = new RingtableBroker(
                store(),
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
    final void stop() {
        plan = NONE;
        if (broker != null) {
            broker.close();
        }
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

    /** Ends the committer of a shard with its next flush. */
    static Plan noFlushOf(int failing) {
        return (shard, verb) -> {
            if (shard == failing && verb.equals("flush")) {
                throw new OutOfMemoryError("of the test");
            }
            return null;
        };
    }

    /**
     * Publishes numbers to a queue and receives them, each on a connection of its own, which must not end. The numbers
     * must come in their order, each once.
     */
    private final class Neighbour implements AutoCloseable {
        private final JMSContext receiver = jms().createContext();
        private final JMSContext sender = jms().createContext();
        private final AtomicInteger received = new AtomicInteger();
        private final AtomicReference<Object> wrong = new AtomicReference<>();
        private final Semaphore window = new Semaphore(100);
        private final CompletableFuture<Void> sending;
        private volatile boolean stopping;

        Neighbour(String name) {
            receiver.setExceptionListener(wrong::set);
            sender.setExceptionListener(wrong::set);
            Queue queue = sender.createQueue(name);
            receiver.createConsumer(queue).setMessageListener(this::next);
            sending = CompletableFuture.runAsync(() -> send(queue));
        }

        private void next(Message message) {
            try {
                int number = message.getIntProperty("number");
                if (number != received.getAndIncrement()) {
                    wrong.compareAndSet(null, "number " + number + " in the place of " + (received.get() - 1));
                }
            } catch (JMSException e) {
                wrong.compareAndSet(null, e);
            }
        }

        private void send(Queue queue) {
            try {
                var producer = sender.createProducer().setAsync(new CompletionListener() {
                    @Override
                    public void onCompletion(Message message) {
                        window.release();
                    }

                    @Override
                    public void onException(Message message, Exception refused) {
                        wrong.compareAndSet(null, refused);
                    }
                });
                for (int number = 0; !stopping; number++) {
                    window.acquire();
                    producer.send(queue, numbered(number));
                }
            } catch (InterruptedException | RuntimeException | JMSException e) {
                wrong.compareAndSet(null, e);
            }
        }

        private Message numbered(int number) throws JMSException {
            Message message = sender.createMessage();
            message.setIntProperty("number", number);
            return message;
        }

        /** Waits until so many more have come. */
        void awaitMore(int more) {
            int until = received.get() + more;
            await().until(() -> received.get() >= until || wrong.get() != null);
            assertThat(wrong).hasNullValue();
        }

        @Override
        public void close() {
            stopping = true;
            sending.join();
            sender.close();
            receiver.close();
            assertThat(wrong).hasNullValue();
        }
    }

    @Test
    void aShardThatFailsUnderLoadStartsAnewByItselfAndItsNeighboursGoOn() {
        start("1s");
        List<String> queues = List.of(queueIn(0), queueIn(1), queueIn(2));
        List<String> accepted = new ArrayList<>();
        try (Neighbour first = new Neighbour(queues.get(0));
                Neighbour last = new Neighbour(queues.get(2))) {
            for (int i = 0; i < 20; i++) {
                assertThat(publish(queues.get(1), "message " + i)).isTrue();
                accepted.add("message " + i);
            }
            first.awaitMore(GOES_ON);
            AtomicInteger starts = new AtomicInteger();
            plan = (shard, verb) -> {
                if (shard == 1 && (verb.equals("flush") || verb.equals("recover"))) {
                    starts.incrementAndGet();
                    throw new OutOfMemoryError("of the test");
                }
                return null;
            };

            publish(queues.get(1), "lost");
            await().until(() -> broker.state().failures().total() >= 2); // its first new start has failed as well
            assertThat(phases()).containsExactly(Phase.ACTIVE, Phase.RESTARTING, Phase.ACTIVE);
            assertThat(broker.state().phase()).isEqualTo(Phase.ACTIVE);
            first.awaitMore(GOES_ON);
            last.awaitMore(GOES_ON);
            assertThat(starts).hasValueGreaterThan(1);

            plan = NONE;
            await().until(() -> phases().equals(List.of(Phase.ACTIVE, Phase.ACTIVE, Phase.ACTIVE)));
            assertThat(publish(queues.get(1), "later")).isTrue();
            accepted.add("later");
            first.awaitMore(GOES_ON);
            last.awaitMore(GOES_ON);
        }
        assertThat(received(queues.get(1), accepted.size())).containsSubsequence(accepted);
    }

    // ---- for tests

    final ConnectionFactory jms() {
        return new JmsConnectionFactory("amqp://127.0.0.1:" + broker.amqpPort());
    }

    final Health health() {
        return new ShardHealth(broker::status, meters::trouble, broker::inboxTrouble).health();
    }

    /** The reasons that health gives for shards that are not served, by their numbers. */
    @SuppressWarnings("unchecked")
    final Map<String, String> notServed() {
        return (Map<String, String>) health().getDetails().get("shards");
    }

    final List<Phase> phases() {
        return broker.status().shards().stream().map(ShardStatus::phase).toList();
    }

    /** Asks for an operation. @param json with ' in place of "; null = no body */
    final ManagementAnswer ask(String method, String path, String json) {
        return broker.management()
                .handle(new ManagementRequest(
                        method,
                        path,
                        Map.of(),
                        json == null ? null : ManagementJson.MAPPER.readTree(json.replace('\'', '"')),
                        new Caller(Identity.ANONYMOUS, "http", "127.0.0.1")))
                .toCompletableFuture()
                .join();
    }

    final JsonNode listed() {
        return ManagementJson.MAPPER.valueToTree(ask("GET", "/shards", null).body());
    }

    /** Creates queues until one lives in the shard. */
    final String queueIn(int shard) {
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
    final boolean publish(String queue) {
        return publish(queue, "one");
    }

    final boolean publish(String queue, String body) {
        try (JMSContext context = jms().createContext()) {
            context.createProducer().send(context.createQueue(queue), body);
            return true;
        } catch (JMSRuntimeException refused) {
            return false;
        }
    }

    final List<String> received(String queue, int atLeast) {
        List<String> bodies = new ArrayList<>();
        try (JMSContext context = jms().createContext();
                var consumer = context.createConsumer(context.createQueue(queue))) {
            while (bodies.size() < atLeast) {
                String body = consumer.receiveBody(String.class, 60_000);
                assertThat(body).as("message " + bodies.size()).isNotNull();
                bodies.add(body);
            }
        }
        return bodies;
    }
}
