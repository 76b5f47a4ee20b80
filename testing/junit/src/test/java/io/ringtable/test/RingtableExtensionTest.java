package io.ringtable.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.ringtable.broker.message.Address;
import io.ringtable.client.Message;
import io.ringtable.client.Publisher;
import io.ringtable.client.Receiver;
import io.ringtable.client.RingtableClient;
import io.ringtable.client.SubscriptionOptions;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** The work of the extension around tests: whole classes run inside these tests, as a build runs them. */
class RingtableExtensionTest {
    private static final Queue<URI> URLS = new ConcurrentLinkedQueue<>();
    private static final Map<String, String> SEEN = new ConcurrentHashMap<>();

    @BeforeEach
    void forget() {
        URLS.clear();
        SEEN.clear();
    }

    @RingtableTest
    static class LeavesMuchBehind {
        @RepeatedTest(2)
        void startsClean(RingtableClient client, TestBroker broker) {
            assertThat(broker.published("queue://orders")).isEmpty();
            assertThat(broker.broker().shard().lookup().addresses())
                    .extracting(Address::name)
                    .containsExactly("DLQ");

            try (Publisher orders = client.publisher("queue://orders")) {
                orders.publishAndWait(Message.text("left behind"));
            }
            try (RingtableClient audit = RingtableClient.builder()
                            .uri(broker.url().toString())
                            .clientId("audit")
                            .connect();
                    Receiver receiver =
                            audit.receiver(SubscriptionOptions.topic("prices").durable("audit"))) {
                assertThat(receiver.isOpen()).isTrue();
            }
            broker.storeFull(); // nobody closes it
            URLS.add(broker.url());
        }
    }

    @RingtableTest
    static class SameProperties {
        @Test
        void usesTheSameBroker(URI url) {
            URLS.add(url);
        }
    }

    @RingtableTest(properties = "ringtable.amqp.link-credit=10")
    static class OtherProperties {
        @Test
        void hasAnotherBroker(URI url) {
            URLS.add(url);
        }

        @Nested
        class Inside {
            @Test
            void inheritsTheBroker(URI url) {
                URLS.add(url);
            }
        }
    }

    @RingtableTest(own = true)
    static class OwnBroker {
        @Test
        void hasABrokerOfItsOwn(URI url) {
            URLS.add(url);
        }
    }

    @RingtableTest(properties = "ringtable.amqp.link-credits=10")
    static class UnknownProperty {
        @Test
        void neverRuns(TestBroker broker) {
            URLS.add(broker.url());
        }
    }

    @RingtableTest(properties = "ringtable.amqp.link-credit")
    static class NoValue {
        @Test
        void neverRuns(TestBroker broker) {
            URLS.add(broker.url());
        }
    }

    /** Two tests that are in progress together, on one broker and with one name. */
    @RingtableTest
    @Execution(ExecutionMode.CONCURRENT)
    static class Parallel {
        private static final CyclicBarrier BOTH = new CyclicBarrier(2);

        @Test
        void one(RingtableClient client, TestAddresses addresses, TestBroker broker) throws Exception {
            meet("one", client, addresses, broker);
        }

        @Test
        void other(RingtableClient client, TestAddresses addresses, TestBroker broker) throws Exception {
            meet("other", client, addresses, broker);
        }

        private static void meet(String who, RingtableClient client, TestAddresses addresses, TestBroker broker)
                throws Exception {
            String orders = addresses.queue("orders");
            BOTH.await(60, TimeUnit.SECONDS);
            try (Publisher publisher = client.publisher(orders)) {
                publisher.publishAndWait(Message.text("of " + who));
            }
            BOTH.await(60, TimeUnit.SECONDS);
            try (Receiver receiver = client.receiver(orders)) {
                SEEN.put(
                        who,
                        receiver.receive(Duration.ofSeconds(60)).orElseThrow().text());
                assertThat(broker.published(orders)).hasSize(1);
            }
            URLS.add(broker.url());
        }
    }

    @Test
    void takesAwayWhatATestLeavesBehind() {
        assertThat(failures(run(LeavesMuchBehind.class))).isEmpty();
        assertThat(URLS).hasSize(2);
        assertThat(List.copyOf(URLS).get(0)).isEqualTo(List.copyOf(URLS).get(1));
    }

    @Test
    void sharesABrokerWhereTheSamePropertiesAreAskedFor() {
        assertThat(failures(run(LeavesMuchBehind.class, SameProperties.class, OtherProperties.class, OwnBroker.class)))
                .isEmpty();

        assertThat(URLS).hasSize(6);
        assertThat(URLS.stream().distinct()).hasSize(3);
    }

    @Test
    void namesAPropertyThatDoesNotExist() {
        assertThat(failures(run(UnknownProperty.class)))
                .singleElement()
                .asString()
                .contains("RT-1001 unknown property ringtable.amqp.link-credits")
                .contains("did you mean ringtable.amqp.link-credit?");
        assertThat(failures(run(NoValue.class))).singleElement().asString().contains("RT-7007");
        assertThat(URLS).isEmpty();
    }

    @RingtableTest
    static class Patience {
        @Test
        void waitsInVain(TestBroker broker) {
            broker.awaitPublished("queue://orders");
        }
    }

    @Test
    void waitsAsLongAsTheParameterSays() {
        assertThat(failures(run(Map.of("ringtable.test.timeout", "70ms"), Patience.class)))
                .singleElement()
                .asString()
                .contains("RT-7101 expected 1 message to queue://orders, found 0 within 70 ms.");
        assertThat(failures(run(Map.of("ringtable.test.timeout", "soon"), Patience.class)))
                .singleElement()
                .asString()
                .contains("RT-7008 ringtable.test.timeout=soon is no duration");
    }

    @Test
    void keepsParallelTestsApart() {
        assertThat(failures(run(Parallel.class))).isEmpty();

        assertThat(SEEN).containsExactlyInAnyOrderEntriesOf(Map.of("one", "of one", "other", "of other"));
        assertThat(URLS.stream().distinct()).hasSize(1);
    }

    private static TestExecutionSummary run(Class<?>... classes) {
        return run(Map.of(), classes);
    }

    private static TestExecutionSummary run(Map<String, String> parameters, Class<?>... classes) {
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(Stream.of(classes)
                                        .map(each -> selectClass(each))
                                        .toList())
                                .configurationParameters(parameters)
                                .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
                                .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
                                .configurationParameter(
                                        "junit.jupiter.execution.parallel.config.fixed.parallelism", "2")
                                .build(),
                        summary);
        assertThat(summary.getSummary().getTestsFoundCount()).isPositive();
        return summary.getSummary();
    }

    private static List<Throwable> failures(TestExecutionSummary summary) {
        return summary.getFailures().stream()
                .map(TestExecutionSummary.Failure::getException)
                .toList();
    }
}
