package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.ringtable.broker.ShardSettings;
import io.ringtable.broker.TestSettings;
import io.ringtable.broker.amqp.encoding.AmqpMessageFormat;
import io.ringtable.broker.amqp.inspect.AmqpMessageCodec;
import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.commit.Committer;
import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.dispatch.consumer.Consumer;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.durability.Reconciler;
import io.ringtable.broker.inbox.SharedLooks;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ownership.Lease;
import io.ringtable.broker.store.Ownership;
import io.ringtable.broker.store.RingStore;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.jdbc.RingStores;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.trace.MessageTraces;
import io.ringtable.broker.work.CommitMonitor;
import io.ringtable.broker.work.Completion;
import io.ringtable.broker.work.Mailbox;
import io.ringtable.broker.work.Work;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** One shard as it runs in production: real agents on their threads, a real SQLite file. */
class RunningShardTest {
    private static final int MESSAGES = 100_000;

    @TempDir
    private Path directory;

    @Test
    void deliversEveryAcceptedMessageInOrderAndNothingAgainAfterARestart() throws Exception {
        AtomicInteger accepted = new AtomicInteger();
        CountDownLatch received = new CountDownLatch(MESSAGES);
        List<Long> numbers = Collections.synchronizedList(new ArrayList<>(MESSAGES));
        try (RingStore store = RingStores.open(StoreSettings.embedded(directory));
                RunningShard shard = start(store)) {
            Address queue = shard.catalog()
                    .ensure("orders", AddressKind.QUEUE)
                    .toCompletableFuture()
                    .get();
            Subscription reader = shard.lookup().readerOf(queue);
            Consumer consumer = consumer((self, delivery) -> {
                numbers.add(ByteBuffer.wrap(delivery.message().encoded()).getLong());
                shard.dispatcher().accepted(self, delivery, null);
                received.countDown();
            });
            shard.dispatcher().attach(consumer, reader);
            shard.dispatcher().credit(consumer, Long.MAX_VALUE, false);

            for (int i = 0; i < MESSAGES; i++) {
                publish(shard, queue, i, accepted);
            }
            assertThat(received.await(60, TimeUnit.SECONDS)).isTrue();
            shard.dispatcher().detach(consumer, List.of(), false);
        }
        assertThat(accepted).hasValue(MESSAGES);
        assertThat(numbers).isSorted().doesNotHaveDuplicates().hasSize(MESSAGES);

        try (RingStore store = RingStores.open(StoreSettings.embedded(directory));
                RunningShard shard = start(store)) {
            Address queue = shard.lookup().find("orders");
            assertThat(queue.quota().messages()).isZero();
            assertThat(shard.entries().byName("orders").subscriptions().get(0).owedInRing())
                    .isZero();
        }
    }

    @Test
    void makesWhatIsDeclaredAndRefusesToStartWhereItIsStoredAsTheOtherKind() throws Exception {
        try (RingStore store = RingStores.open(StoreSettings.embedded(directory));
                RunningShard shard = start(store, declaring("prices", AddressKind.TOPIC))) {
            Address prices =
                    shard.catalog().ensure("prices", null).toCompletableFuture().get();
            assertThat(prices.kind()).isEqualTo(AddressKind.TOPIC);
        }
        try (RingStore store = RingStores.open(StoreSettings.embedded(directory))) {
            assertThatThrownBy(() -> start(store, declaring("prices", AddressKind.QUEUE)))
                    .isInstanceOf(ConfigurationRefused.class)
                    .hasMessageContaining("RT-1040 ringtable.queues has 'prices', and topic 'prices' is stored");
        }
    }

    @Test
    void saysHowManySettlementsAStoreThatTakesNoWritesHasNotGotWhenItCloses() throws Exception {
        AtomicBoolean full = new AtomicBoolean();
        ListAppender<ILoggingEvent> written = new ListAppender<>();
        written.start();
        Logger logger = (Logger) LoggerFactory.getLogger(Committer.class);
        logger.addAppender(written);
        BlockingQueue<Delivery> received = new LinkedBlockingQueue<>();
        try (RingStore store = RingStores.open(StoreSettings.embedded(directory));
                RunningShard shard = start(whoseFlushFails(store, full::get))) {
            Address queue = shard.catalog()
                    .ensure("orders", AddressKind.QUEUE)
                    .toCompletableFuture()
                    .get();
            Consumer consumer = consumer((self, delivery) -> received.add(delivery));
            shard.dispatcher().attach(consumer, shard.lookup().readerOf(queue));
            shard.dispatcher().credit(consumer, 3, false);
            for (int i = 0; i < 3; i++) {
                publish(shard, queue, i, new AtomicInteger());
            }
            List<Delivery> deliveries = new ArrayList<>();
            while (deliveries.size() < 3) {
                deliveries.add(received.poll(60, TimeUnit.SECONDS));
            }
            full.set(true);
            deliveries.forEach(delivery -> shard.dispatcher().accepted(consumer, delivery, null));
            shard.dispatcher().detach(consumer, List.of(), false);
        } finally {
            logger.detachAppender(written);
        }
        assertThat(written.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .singleElement(InstanceOfAssertFactories.STRING)
                .contains("RT-2113", "reports about deliveries are not stored");
    }

    private static RingStore whoseFlushFails(RingStore store, BooleanSupplier now) {
        return (RingStore) Proxy.newProxyInstance(
                RingStore.class.getClassLoader(), new Class<?>[] {RingStore.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("flush") && now.getAsBoolean()) {
                        throw new StoreFailure(StoreFailure.Kind.NOT_WRITABLE, "RT-3099", "full, the test says");
                    }
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** Nothing else is made. */
    private static ShardSettings declaring(String name, AddressKind kind) {
        return TestSettings.of(
                        "ringtable.dispatch.auto-create",
                        "none",
                        "ringtable." + kind.name().toLowerCase(Locale.ROOT) + "s",
                        name)
                .shard();
    }

    private static void publish(RunningShard shard, Address queue, long number, AtomicInteger accepted)
            throws Exception {
        until(() -> queue.quota().tryReserve(1, 300));
        byte[] body = ByteBuffer.allocate(300).putLong(number).array();
        Work work = Work.publish(new Message(queue, 0, 4, 0, 0, body, 0), new Completion() {
            @Override
            public void accepted() {
                accepted.incrementAndGet();
            }

            @Override
            public void refused(Refusal refusal) {
                throw new AssertionError(refusal);
            }

            @Override
            public Mailbox mailbox() {
                return Mailbox.NONE;
            }
        });
        until(() -> shard.committer().trySubmit(work));
    }

    /** Until there is room. */
    private static void until(Callable<Boolean> taken) throws Exception {
        if (!taken.call()) {
            Awaitility.await()
                    .pollInSameThread()
                    .pollInterval(1, TimeUnit.MILLISECONDS)
                    .until(taken);
        }
    }

    private static Consumer consumer(BiConsumer<Consumer, Delivery> onDelivery) {
        return new Consumer() {
            @Override
            public Selector selector() {
                return null;
            }

            @Override
            public void deliver(Delivery delivery) {
                onDelivery.accept(this, delivery);
            }

            @Override
            public void drained(long limit) {}

            @Override
            public void ended(Refusal refusal) {
                throw new AssertionError(refusal);
            }

            @Override
            public Mailbox mailbox() {
                return Mailbox.NONE;
            }
        };
    }

    private static RunningShard start(RingStore store) {
        return start(store, TestSettings.of().shard());
    }

    private static RunningShard start(RingStore store, ShardSettings settings) {
        Reconciler.Node node = new Reconciler.Node("node-1", "test", settings.lease(), settings.geometry());
        Ownership ownership = store.acquire(node.id(), node.description(), node.lease(), node.geometry());
        ShardParts parts = new ShardParts(
                node,
                settings.commit(),
                settings.dispatch(),
                settings.inbox(),
                settings.policies(),
                new AmqpMessageFormat(MessageTraces.OFF),
                shard -> List.of(),
                shard -> new SharedLooks(System.nanoTime()),
                null, // a file has no inbox
                text -> {
                    throw new AssertionError("no subscription has a selector");
                },
                new AmqpMessageCodec(MessageTraces.OFF),
                CommitMonitor.NONE,
                MessageTraces.OFF);
        long epoch = ((Ownership.Owned) ownership).epoch();
        return OwnedShards.start(
                        1,
                        store::directory,
                        settings.policies(),
                        (number, policies) ->
                                new RunningShard(parts, number, policies, store, epoch, Lease.withoutEnd(), stopped -> {
                                    throw new AssertionError(stopped);
                                }),
                        number -> null, // none is away
                        recovered -> {},
                        null,
                        MessageTraces.OFF,
                        0)
                .running(0);
    }
}
