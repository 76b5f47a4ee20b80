package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.micrometer.tracing.Tracer;
import io.ringtable.broker.trace.MessageTraces;
import io.ringtable.broker.trace.OtlpReceiver;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.Message;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/** The application as it is shipped, with and without tracing: what goes out over OTLP. */
@ExtendWith(WithoutBuildProperties.class)
@Timeout(120)
class BrokerTracingTest {
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String SPAN = "00f067aa0ba902b7";

    @TempDir
    Path directory;

    @Test
    void exportsTheSpansOfASampledMessageAndNothingElse() throws Exception {
        Instant begun = Instant.now().minusMillis(1);
        try (OtlpReceiver receiver = new OtlpReceiver()) {
            try (ConfigurableApplicationContext application = start(
                    "--ringtable.tracing.enabled=true",
                    "--management.opentelemetry.tracing.export.otlp.endpoint=" + receiver.endpoint(),
                    "--management.opentelemetry.tracing.export.schedule-delay=50ms")) {
                sendAndReceive(application);
                askForHealth(application);
                await().untilAsserted(() -> assertThat(receiver.spans()).hasSize(4));
            } // exports what is left
            assertThat(receiver.spans()).allSatisfy(span -> {
                assertThat(span.service()).isEqualTo("ringtable");
                assertThat(span.traceId()).isEqualTo(TRACE);
                assertThat(span.parentId()).isEqualTo(SPAN);
                assertThat(span.start()).isBetween(nanos(begun), span.end());
                assertThat(span.end()).isLessThan(nanos(Instant.now().plusMillis(1)));
                assertThat(span.attributes())
                        .containsAllEntriesOf(
                                Map.of("messaging.system", "ringtable", "messaging.destination.name", "orders"))
                        .containsKey("messaging.message.envelope.size");
            });
            assertThat(receiver.spans())
                    .extracting(OtlpReceiver.Received::name, OtlpReceiver.Received::kind)
                    .containsExactlyInAnyOrder(
                            tuple("publish orders", "SERVER"),
                            tuple("commit orders", "INTERNAL"),
                            tuple("deliver orders", "INTERNAL"),
                            tuple("settle orders", "INTERNAL"));
        }
    }

    @Test
    void makesNoTracerUnlessAskedTo() {
        try (ConfigurableApplicationContext application = start()) {
            assertThat(application.getBeanNamesForType(Tracer.class)).isEmpty();
            assertThat(application.getBeanDefinitionNames())
                    .noneMatch(name -> name.toLowerCase(Locale.ROOT).contains("otlp")
                            || name.toLowerCase(Locale.ROOT).contains("opentelemetry"));
            assertThat(application.getBean(MessageTraces.class).isOn()).isFalse();
        }
    }

    private ConfigurableApplicationContext start(String... more) {
        String[] arguments = Arrays.copyOf(more, more.length + 4);
        arguments[more.length] = "--ringtable.data-dir=" + directory;
        arguments[more.length + 1] = "--ringtable.amqp.port=0";
        arguments[more.length + 2] = "--server.port=0";
        arguments[more.length + 3] = "--ringtable.ring.capacity=" + TestSettings.RING_CAPACITY;
        return SpringApplication.run(BrokerApplication.class, arguments);
    }

    private static void sendAndReceive(ConfigurableApplicationContext application) throws Exception {
        int port = application.getBean(RingtableBroker.class).amqpPort();
        try (JMSContext jms = new JmsConnectionFactory("amqp://127.0.0.1:" + port).createContext()) {
            for (String flags : new String[] {"00", "01"}) {
                Message message = jms.createTextMessage("hello");
                message.setStringProperty("traceparent", "00-" + TRACE + "-" + SPAN + "-" + flags);
                jms.createProducer().send(jms.createQueue("orders"), message);
            }
            JMSConsumer consumer = jms.createConsumer(jms.createQueue("orders"));
            for (int i = 0; i < 2; i++) {
                assertThat(consumer.receive(60_000)).isNotNull();
            }
        }
    }

    private static void askForHealth(ConfigurableApplicationContext application) throws Exception {
        int port = ((WebServerApplicationContext) application).getWebServer().getPort();
        HttpResponse<Void> answer = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/livez"))
                                .build(),
                        HttpResponse.BodyHandlers.discarding());
        assertThat(answer.statusCode()).isEqualTo(200);
    }

    private static long nanos(Instant instant) {
        return ChronoUnit.NANOS.between(Instant.EPOCH, instant);
    }
}
