package io.ringtable.acceptance.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.BrokerSettings;
import io.ringtable.acceptance.harness.Engine;
import io.ringtable.broker.trace.OtlpReceiver;
import io.ringtable.broker.trace.OtlpReceiver.Received;
import io.ringtable.client.AcknowledgeMode;
import io.ringtable.client.Message;
import io.ringtable.client.Publisher;
import io.ringtable.client.ReceivedMessage;
import io.ringtable.client.Receiver;
import io.ringtable.client.RingtableClient;
import io.ringtable.client.SubscriptionOptions;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The executable jar exports its spans over OTLP to a receiver in place of a collector. Clients whose libraries know
 * nothing of traces write {@code traceparent} into the application properties of their messages.
 */
class TraceTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final String SIZE = "messaging.message.envelope.size";

    @RegisterExtension
    static final Bench BENCH = new Bench();

    private static OtlpReceiver collector;
    private static BrokerProcess broker;

    @BeforeAll
    static void startBroker() {
        collector = BENCH.closing(new OtlpReceiver());
        UnaryOperator<BrokerSettings> store = Engine.any().on(BENCH);
        broker = BENCH.broker(settings -> store.apply(settings)
                        .with("ringtable.tracing.enabled", true)
                        .with("management.opentelemetry.tracing.export.otlp.endpoint", collector.endpoint())
                        .with("management.opentelemetry.tracing.export.schedule-delay", "50ms"))
                .start();
    }

    /** Stands for the span in which an application sends a message. */
    private record ClientSpan(String traceId, String spanId) {
        static ClientSpan begun() {
            return new ClientSpan(randomHex(16), randomHex(8));
        }

        private static String randomHex(int bytes) {
            byte[] id = new byte[bytes];
            new SecureRandom().nextBytes(id);
            return HexFormat.of().formatHex(id);
        }

        String traceparent(boolean sampled) {
            return "00-" + traceId + "-" + spanId + (sampled ? "-01" : "-00");
        }
    }

    @Test
    void theStepsOfAMessageOfTheSdkAreChildrenOfItsSpan() {
        ClientSpan unsampled = ClientSpan.begun();
        ClientSpan sampled = ClientSpan.begun();
        try (RingtableClient client = RingtableClient.builder()
                        .uri(broker.amqpUrl())
                        .clientId("desk")
                        .connect();
                Receiver receiver = client.receiver(
                        SubscriptionOptions.topic("prices").durable("audit").acknowledge(AcknowledgeMode.MANUAL));
                Publisher publisher = client.publisher("topic://prices")) {
            for (String traceparent : List.of(unsampled.traceparent(false), sampled.traceparent(true))) {
                publisher.publishAndWait(Message.builder()
                        .text("one book")
                        .property("traceparent", traceparent)
                        .build());
                ReceivedMessage message = receiver.receive(LONG).orElseThrow();
                assertThat(message.property("traceparent")).isEqualTo(traceparent);
                message.acknowledge();
            }
            Map<String, Received> steps = steps(sampled, "prices");
            Map<String, String> ofSubscription = Map.of("messaging.destination.subscription.name", "audit");
            has(steps.get("publish"), "SERVER", Map.of());
            has(steps.get("commit"), "INTERNAL", Map.of());
            has(
                    steps.get("deliver"),
                    "INTERNAL",
                    joined(ofSubscription, Map.of("messaging.ringtable.outcome", "accepted")));
            has(steps.get("settle"), "INTERNAL", joined(ofSubscription, Map.of("messaging.operation.type", "settle")));
            assertThat(collector.ofTrace(unsampled.traceId())).isEmpty();
        }
    }

    @Test
    void theStepsOfAMessageOfPythonAreChildrenOfItsSpan() throws IOException {
        ClientSpan sampled = ClientSpan.begun();
        ProcessClient python = ProcessClient.python(broker.amqpUrl());
        python.send("queue", "orders", 1, "one book", sampled.traceparent(true));
        assertThat(python.receive("queue", "orders", 1)).hasSize(1);

        Map<String, Received> steps = steps(sampled, "orders");
        has(steps.get("publish"), "SERVER", Map.of());
        has(steps.get("commit"), "INTERNAL", Map.of());
        has(steps.get("deliver"), "INTERNAL", Map.of("messaging.ringtable.outcome", "accepted"));
        has(steps.get("settle"), "INTERNAL", Map.of("messaging.operation.type", "settle"));
    }

    /** Waits for the four spans, which all hang under the client's. @return them by operation */
    private static Map<String, Received> steps(ClientSpan client, String address) {
        await().atMost(LONG)
                .untilAsserted(
                        () -> assertThat(collector.ofTrace(client.traceId())).hasSizeGreaterThanOrEqualTo(4));
        List<Received> spans = collector.ofTrace(client.traceId());
        assertThat(spans)
                .extracting(Received::name)
                .containsExactlyInAnyOrder(
                        "publish " + address, "commit " + address, "deliver " + address, "settle " + address);
        assertThat(spans).allSatisfy(span -> {
            assertThat(span.service()).isEqualTo("ringtable");
            assertThat(span.parentId()).isEqualTo(client.spanId());
            assertThat(span.start()).isLessThanOrEqualTo(span.end());
            assertThat(span.attributes())
                    .contains(entry("messaging.system", "ringtable"), entry("messaging.destination.name", address));
        });
        assertThat(spans).extracting(Received::spanId).doesNotHaveDuplicates().doesNotContain(client.spanId());
        assertThat(spans)
                .extracting(span -> span.attributes().get(SIZE))
                .containsOnly(spans.get(0).attributes().get(SIZE));
        return spans.stream()
                .collect(Collectors.toMap(
                        span -> span.attributes().get("messaging.operation.name"), Function.identity()));
    }

    /** @param more attributes beside those of every step */
    private static void has(Received span, String kind, Map<String, String> more) {
        Map<String, String> expected = new TreeMap<>(more);
        String operation = span.name().substring(0, span.name().indexOf(' '));
        expected.put("messaging.system", "ringtable");
        expected.put("messaging.operation.name", operation);
        expected.put("messaging.destination.name", span.name().substring(operation.length() + 1));
        expected.put(SIZE, span.attributes().get(SIZE));
        assertThat(span.kind()).isEqualTo(kind);
        assertThat(span.attributes()).isEqualTo(expected);
        assertThat(Integer.parseInt(expected.get(SIZE))).isPositive();
    }

    private static Map<String, String> joined(Map<String, String> one, Map<String, String> other) {
        Map<String, String> both = new TreeMap<>(one);
        both.putAll(other);
        return both;
    }
}
