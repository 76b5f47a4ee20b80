package io.ringtable.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.ringtable.broker.TestSettings;
import io.ringtable.client.micrometer.RingtableClientMetrics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many threads, busy handlers, cut connections, a broker that is replaced: what the SDK does meanwhile. */
class BusyClientScenarioTest extends OneBrokerScenario {
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
            try (Publisher other = client.publisher("queue://other-" + address);
                    Receiver receiver = client.receiver("queue://other-" + address)) {
                other.publishAndWait(Message.text("behind whatever the broker was let send"));
                take(receiver).acknowledge();
            }
            assertThat(client.statistics().received()).isEqualTo(50 + 1);
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
                together.await(60, TimeUnit.SECONDS);
            });
            publisher.publishAll(numbered(8)).join();
            await().atMost(SOON).until(() -> client.statistics().acknowledged() == 8);
            assertThat(threads).hasSize(4);
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
                        .inFlightLimit(new InFlightLimit(200, 1_000_000))
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
            await().atMost(Duration.ofSeconds(60)).until(() -> seen.size() == messages && publisher.pending() == 0);
            assertThat(firsts).isEqualTo(IntStream.range(0, messages).boxed().toList());
            // Stored twice because the answer to the first transfer was lost: at most what is in flight for each cut.
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
                        .inFlightLimit(new InFlightLimit(100, 10_000))
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
            rest.get(60, TimeUnit.SECONDS);
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
            all.get(60, TimeUnit.SECONDS);
            await().atMost(SOON).until(() -> received.get() == 5_001);
            assertThat(client.statistics().publishTransfers())
                    .as("they went in batches")
                    .isLessThan(2_500);
        }
    }
}
