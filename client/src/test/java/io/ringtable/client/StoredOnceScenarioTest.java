package io.ringtable.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Publishers with a producer id, against the broker itself. Each test has an address of its own. */
@Timeout(120)
class StoredOnceScenarioTest {

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String ID = "shop-1";

    @TempDir
    static Path directory;

    private static RealBroker broker;

    private final String address = "test-" + UUID.randomUUID();
    private final PublisherOptions options = PublisherOptions.queue(address).producerId(ID);

    @BeforeAll
    static void start() {
        broker = RealBroker.start(directory);
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @ParameterizedTest(name = "batching {0}")
    @ValueSource(booleans = {true, false})
    void whateverIsCutAndSentAgainIsStoredOnce(boolean batching) throws Exception {
        int messages = batching ? 30_000 : 6_000;
        AtomicInteger lost = new AtomicInteger();
        ClientListener listener = new ClientListener() {
            @Override
            public void disconnected(String uri, RingtableException cause) {
                lost.incrementAndGet();
            }
        };
        List<CompletableFuture<Void>> outcomes = new ArrayList<>();
        try (CuttableProxy proxy = new CuttableProxy(broker.port());
                RingtableClient client = RealBroker.client(proxy.port())
                        .batching(batching)
                        .inFlightLimit(new InFlightLimit(100, 1 << 20))
                        .listener(listener)
                        .connect();
                Publisher publisher = client.publisher(options)) {
            for (int i = 1; i <= messages; i++) {
                outcomes.add(publisher.publish(Message.text(Integer.toString(i))));
                if (i % (messages / 20) == 0) {
                    proxy.cut();
                    int cuts = i / (messages / 20);
                    await().atMost(SOON).until(() -> lost.get() >= cuts);
                }
            }
            CompletableFuture.allOf(outcomes.toArray(CompletableFuture[]::new)).join();
            assertThat(publisher.lastPublishedNumber()).isEqualTo(messages);
        }
        assertThat(stored())
                .isEqualTo(IntStream.rangeClosed(1, messages)
                        .mapToObj(Integer::toString)
                        .toList());
    }

    @Test
    void anApplicationThatComesBackGoesOnAfterWhatIsStored() {
        try (RingtableClient client = broker.client().connect();
                Publisher publisher = client.publisher(options)) {
            assertThat(publisher.lastPublishedNumber()).isZero();
            publisher.publishAndWait(Message.text("1"));
            publisher.publishAll(List.of(Message.text("2"), Message.text("3"))).join();
            assertThat(publisher.lastPublishedNumber()).isEqualTo(3);
        }
        try (RingtableClient client = broker.client().connect();
                Publisher publisher = client.publisher(options)) {
            assertThat(publisher.lastPublishedNumber()).isEqualTo(3);
            publisher.publishAndWait(Message.text("4"));
        }
        assertThat(stored()).containsExactly("1", "2", "3", "4");
    }

    @Test
    void whoOpensAProducerIdFencesThePublisherThatHadIt() {
        try (RingtableClient first = broker.client().connect();
                RingtableClient second = broker.client().connect();
                Publisher before = first.publisher(options)) {
            before.publishAndWait(Message.text("1"));
            try (Publisher after = second.publisher(options)) {
                assertThat(after.lastPublishedNumber()).isEqualTo(1);
                assertThatThrownBy(() -> before.publishAndWait(Message.text("never")))
                        .isInstanceOf(RingtableException.class)
                        .hasMessageContaining("RT-4101");
                after.publishAndWait(Message.text("2"));
            }
        }
        assertThat(stored()).containsExactly("1", "2");
    }

    @Test
    void aFencedPublisherThatLosesItsConnectionDoesNotComeBack() throws Exception {
        try (CuttableProxy proxy = new CuttableProxy(broker.port());
                RingtableClient first = RealBroker.client(proxy.port())
                        .reconnect(Reconnect.DEFAULT.firstDelay(Duration.ofMillis(500)))
                        .connect();
                RingtableClient second = broker.client().connect();
                Publisher before = first.publisher(options)) {
            before.publishAndWait(Message.text("1"));
            proxy.cut();
            await().atMost(SOON).until(() -> !first.isConnected());
            try (Publisher after = second.publisher(options)) {
                assertThatThrownBy(() -> before.publishAndWait(Message.text("never")))
                        .isInstanceOf(RingtableException.class)
                        .hasMessageContaining("RT-4101");
                after.publishAndWait(Message.text("2"));
            }
        }
        assertThat(stored()).containsExactly("1", "2");
    }

    @ParameterizedTest(name = "batching {0}")
    @ValueSource(booleans = {true, false})
    void whatFollowsARefusedMessageIsStoredInItsOrder(boolean batching) {
        int messages = 300;
        List<CompletableFuture<Void>> outcomes = new ArrayList<>();
        try (RingtableClient client = broker.client().batching(batching).connect();
                Publisher publisher = client.publisher(options)) {
            for (int i = 1; i <= messages; i++) {
                Message.Builder message = Message.builder().text(Integer.toString(i));
                if (i % 50 == 0) {
                    message.property("_AMQ_DUPL_ID", i); // a number is none
                }
                outcomes.add(publisher.publish(message.build()));
            }
            outcomes.forEach(outcome -> outcome.exceptionally(failure -> null).join());
            publisher.publishAndWait(Message.text("last"));
            assertThat(publisher.lastPublishedNumber()).isEqualTo(messages + 1);
        }
        List<String> accepted = IntStream.rangeClosed(1, messages)
                .filter(i -> !outcomes.get(i - 1).isCompletedExceptionally())
                .mapToObj(Integer::toString)
                .toList();
        List<String> stored = stored();
        assertThat(stored.remove(stored.size() - 1)).isEqualTo("last");
        assertThat(stored).isEqualTo(accepted);
        if (!batching) { // else they share the outcome of those that travel with them
            assertThat(accepted).hasSize(messages - messages / 50).doesNotContain("50", "100", "300");
        }
    }

    @Test
    void aTopicThatNobodyReadsCountsAsWell() {
        PublisherOptions topic = PublisherOptions.topic(address).producerId(ID);
        try (RingtableClient client = broker.client().connect();
                Publisher publisher = client.publisher(topic)) {
            publisher.publishAndWait(Message.text("1"));
        }
        try (RingtableClient client = broker.client().connect();
                Publisher publisher = client.publisher(topic)) {
            assertThat(publisher.lastPublishedNumber()).isEqualTo(1);
        }
    }

    @Test
    void aNameThatIsNoneIsRefusedBeforeAnythingIsSent() {
        for (String id : List.of("", " ", "x".repeat(201), "a\nb")) {
            assertThatThrownBy(() -> PublisherOptions.queue(address).producerId(id))
                    .isInstanceOf(RingtableException.class)
                    .hasMessageContaining("RT-5001");
        }
    }

    /** Everything that is in the queue, in its order. */
    private List<String> stored() {
        List<String> texts = new ArrayList<>();
        CountDownLatch end = new CountDownLatch(1);
        try (RingtableClient client = broker.client().connect();
                Publisher publisher = client.publisher("queue://" + address)) {
            publisher.publishAndWait(Message.text("end"));
            client.subscribe("queue://" + address, message -> {
                if (message.text().equals("end")) {
                    end.countDown();
                } else {
                    texts.add(message.text());
                }
            });
            await().atMost(SOON).until(() -> end.getCount() == 0);
        }
        return texts;
    }
}
