package io.ringtable.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.ringtable.broker.TestSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The SDK against the broker itself. Each test has addresses of its own. */
@Timeout(60)
class BrokerScenarioTest {

    private static final Duration SOON = Duration.ofSeconds(10);

    @TempDir
    static Path directory;

    private static RealBroker broker;

    private final String address = "test-" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        broker = RealBroker.start(directory);
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

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
            try (Receiver receiver = client.receiver(audit)) {
                assertThat(receiver.receive(Duration.ofMillis(200))).isEmpty();
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
                assertThat(receiver.receive(Duration.ofMillis(200))).isEmpty();
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
            assertThat(receiver.receive(Duration.ofMillis(200))).isEmpty();
        }
    }

    @Test
    void takesNoMoreThanThePrefetchWhileTheHandlerIsBusy() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        AtomicInteger handled = new AtomicInteger();
        try (RingtableClient client = broker.client().connect();
                Publisher publisher = client.publisher("queue://" + address)) {
            publisher.publishAll(numbered(500)).join();
            client.subscribe(SubscriptionOptions.queue(address).prefetch(50), message -> {
                go.await();
                handled.incrementAndGet();
            });
            await().atMost(SOON).until(() -> client.statistics().received() == 50);
            await().during(Duration.ofMillis(200))
                    .until(() -> client.statistics().received() == 50);
            go.countDown();
            await().atMost(SOON).until(() -> handled.get() == 500);
        }
    }

    @Test
    void handlesAsManyMessagesAtATimeAsItsConcurrencySays() {
        Set<String> threads = ConcurrentHashMap.newKeySet();
        CountDownLatch together = new CountDownLatch(4);
        try (RingtableClient client = broker.client().connect();
                Publisher publisher = client.publisher("queue://" + address)) {
            client.subscribe(SubscriptionOptions.queue(address).concurrency(4), message -> {
                threads.add(Thread.currentThread().getName());
                together.countDown();
                together.await(5, TimeUnit.SECONDS);
            });
            publisher.publishAll(numbered(8)).join();
            await().atMost(SOON).until(() -> client.statistics().acknowledged() == 8);
            assertThat(threads).hasSize(4);
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

    @Test
    void losesNothingWhenConnectionsAreCutAndFlagsWhatComesAgain() throws Exception {
        int messages = 5_000;
        Map<Integer, AtomicInteger> seen = new ConcurrentHashMap<>();
        List<Integer> firsts = new CopyOnWriteArrayList<>();
        AtomicInteger unflagged = new AtomicInteger();
        try (CuttableProxy publishing = new CuttableProxy(broker.port());
                CuttableProxy subscribing = new CuttableProxy(broker.port());
                RingtableClient subscriber =
                        RealBroker.client(subscribing.port()).connect();
                RingtableClient client = RealBroker.client(publishing.port())
                        .publishWindow(new PublishWindow(200, 1_000_000))
                        .connect();
                Publisher publisher = client.publisher("queue://" + address)) {
            subscriber.subscribe("queue://" + address, message -> {
                Integer n = (Integer) message.property("n");
                if (seen.computeIfAbsent(n, unused -> new AtomicInteger()).incrementAndGet() == 1) {
                    firsts.add(n);
                } else if (!message.isRedelivered()) {
                    unflagged.incrementAndGet();
                }
            });
            for (int i = 0; i < messages; i++) {
                publisher.publish(numbered(i, 1).get(0));
                if (i % 1_000 == 500) {
                    publishing.cut();
                }
                if (i % 1_000 == 0) {
                    subscribing.cut();
                }
            }
            await().atMost(Duration.ofSeconds(30)).until(() -> seen.size() == messages && publisher.pending() == 0);
            assertThat(firsts).isEqualTo(IntStream.range(0, messages).boxed().toList());
            // Stored twice because the answer to the first transfer was lost: at most a window for each cut.
            assertThat(unflagged.get()).isLessThanOrEqualTo(5 * 200);
            assertThat(client.statistics().connections()).isBetween(2L, 6L);
            assertThat(client.statistics().rejected()).isZero();
        }
    }

    @Test
    void mayBeClosedByItsOwnHandlerWithoutRepeatingTheMessageInHand() {
        List<String> seen = new CopyOnWriteArrayList<>();
        try (RingtableClient client = broker.client().connect();
                Publisher publisher = client.publisher("queue://" + address)) {
            publisher.publishAll(numbered(10)).join();
            CompletableFuture<Subscription> self = new CompletableFuture<>();
            Subscription subscription = client.subscribe("queue://" + address, message -> {
                seen.add(message.text());
                if (seen.size() == 3) {
                    self.join().close();
                }
            });
            self.complete(subscription);
            await().atMost(SOON).until(() -> subscription.closed().isDone());
            assertThat(seen).hasSize(3);
            try (Receiver receiver = client.receiver("queue://" + address)) {
                ReceivedMessage next = take(receiver);
                assertThat(next.property("n")).isEqualTo(3);
                assertThat(next.deliveryCount())
                        .as("untouched messages go back uncounted")
                        .isEqualTo(1);
            }
        }
    }

    @Test
    void takesMessagesOfManyThreadsAtOnceAndKeepsTheOrderOfEach() throws Exception {
        int threads = 4;
        int each = 2_000;
        Map<Integer, List<Integer>> seen = new ConcurrentHashMap<>();
        try (RingtableClient client = broker.client()
                        .publishWindow(new PublishWindow(100, 10_000))
                        .connect();
                Publisher publisher = client.publisher("queue://" + address)) {
            client.subscribe(
                    "queue://" + address,
                    message -> seen.computeIfAbsent(
                                    (Integer) message.property("thread"), unused -> new CopyOnWriteArrayList<>())
                            .add((Integer) message.property("n")));
            List<Thread> publishing = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                int number = thread;
                publishing.add(new Thread(() -> {
                    for (int n = 0; n < each; n++) {
                        publisher.publish(Message.builder()
                                .property("thread", number)
                                .property("n", n)
                                .build());
                    }
                }));
            }
            publishing.forEach(Thread::start);
            for (Thread thread : publishing) {
                thread.join();
            }
            await().atMost(SOON).until(() -> client.statistics().acknowledged() == threads * each);
            assertThat(seen.values())
                    .hasSize(threads)
                    .allSatisfy(numbers -> assertThat(numbers)
                            .isEqualTo(IntStream.range(0, each).boxed().toList()));
            assertThat(client.statistics().rejected()).isZero();
        }
    }

    @Test
    void tellsMicrometerWhatTheClientHasDone() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (RingtableClient client = broker.client().connect();
                Publisher publisher = client.publisher("queue://" + address)) {
            new RingtableClientMetrics(client, "shop").bindTo(registry);
            publisher.publishAll(numbered(3)).join();
            assertThat(registry.get("ringtable.client.accepted")
                            .tag("client", "shop")
                            .functionCounter()
                            .count())
                    .isEqualTo(3);
            assertThat(registry.get("ringtable.client.connected").gauge().value())
                    .isEqualTo(1);
        }
    }

    @Test
    void goesOnWithANewBrokerOnTheSameFile(@TempDir Path own) throws Exception {
        RealBroker running = RealBroker.start(own);
        List<Integer> seen = new CopyOnWriteArrayList<>();
        int port = running.port();
        try (RingtableClient client = RealBroker.client(port).clientId("shop").connect();
                Publisher publisher = client.publisher("topic://prices")) {
            client.subscribe(SubscriptionOptions.topic("prices").durable("audit"), message -> {
                Integer n = (Integer) message.property("n");
                if (!seen.contains(n)) {
                    seen.add(n);
                } else {
                    assertThat(message.isRedelivered()).isTrue();
                }
            });
            publisher.publishAll(numbered(100)).join();
            running.close();
            CompletableFuture<Void> rest = publisher.publishAll(numbered(100, 100));
            assertThat(rest).isNotDone();
            running = RealBroker.start(own, TestSettings.of("ringtable.amqp.port", port));
            rest.get(20, TimeUnit.SECONDS);
            await().atMost(SOON).until(() -> seen.size() == 200);
            assertThat(seen).isEqualTo(IntStream.range(0, 200).boxed().toList());
        } finally {
            running.close();
        }
    }

    @Test
    void sendsBatchesToAnAddressOfFewPlacesThoughAnIdlePublisherHoldsSomeOfThem(@TempDir Path own) throws Exception {
        AtomicInteger received = new AtomicInteger();
        try (RealBroker narrow = RealBroker.withQuota(own, 100);
                RingtableClient client = RealBroker.client(narrow.port()).connect();
                RingtableClient idler = RealBroker.client(narrow.port()).connect();
                Publisher idle = idler.publisher("queue://narrow");
                Publisher busy = client.publisher("queue://narrow")) {
            idle.publishAndWait(Message.text("first"));
            CompletableFuture<Void> all = busy.publishAll(numbered(5_000));
            client.subscribe("queue://narrow", message -> received.incrementAndGet());
            all.get(30, TimeUnit.SECONDS);
            await().atMost(SOON).until(() -> received.get() == 5_001);
            assertThat(client.statistics().publishTransfers())
                    .as("they went in batches")
                    .isLessThan(2_500);
        }
    }

    private static ReceivedMessage take(Receiver receiver) {
        return receiver.receive(SOON).orElseThrow();
    }

    private static List<Message> numbered(int count) {
        return numbered(0, count);
    }

    private static List<Message> numbered(int from, int count) {
        return IntStream.range(from, from + count)
                .mapToObj(n ->
                        Message.builder().text("message " + n).property("n", n).build())
                .toList();
    }
}
