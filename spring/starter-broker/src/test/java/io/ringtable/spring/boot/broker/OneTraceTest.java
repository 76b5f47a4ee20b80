package io.ringtable.spring.boot.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.trace.OtlpReceiver;
import io.ringtable.broker.trace.OtlpReceiver.Received;
import io.ringtable.spring.RingtableOperations;
import io.ringtable.spring.annotation.RingtableListener;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.handler.annotation.SendTo;

/** Follows a message from an application through the broker to another one and back: its trace is one tree. */
@Timeout(120)
class OneTraceTest {
    private static final String NO_DATABASE =
            "--spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration,"
                    + "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration,"
                    + "org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration";

    @TempDir
    Path directory;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Broker {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Billing {
        @RingtableListener("queue://orders")
        @SendTo("queue://invoices")
        String bill(String order) {
            return "one invoice for " + order;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Shop {
        @RingtableListener("queue://invoices")
        void pay(String invoice) {
            assertThat(invoice).isEqualTo("one invoice for one book");
        }
    }

    @Test
    void ofTwoApplicationsAndTheBrokerIsOneTree() {
        try (OtlpReceiver receiver = new OtlpReceiver();
                ConfigurableApplicationContext broker = run(
                        Broker.class,
                        "ringtable",
                        receiver,
                        "--ringtable.data-dir=" + directory,
                        "--ringtable.tracing.enabled=true",
                        "--management.tracing.sampling.probability=0");
                ConfigurableApplicationContext billing = client(Billing.class, "billing", receiver, broker);
                ConfigurableApplicationContext shop = client(Shop.class, "shop", receiver, broker)) {
            assertThat(billing.isRunning()).isTrue();
            shop.getBean(RingtableOperations.class).convertAndSend("queue://orders", "one book");

            await().untilAsserted(() -> assertThat(tree(receiver.spans()))
                    .containsExactly(
                            "shop: send orders",
                            "  billing: process orders",
                            "    billing: send invoices",
                            "      ringtable: commit invoices",
                            "      ringtable: deliver invoices",
                            "      ringtable: publish invoices",
                            "      ringtable: settle invoices",
                            "      shop: process invoices",
                            "  ringtable: commit orders",
                            "  ringtable: deliver orders",
                            "  ringtable: publish orders",
                            "  ringtable: settle orders"));
            assertThat(receiver.spans())
                    .extracting(Received::traceId)
                    .as("traces")
                    .containsOnly(receiver.spans().get(0).traceId());
        }
    }

    @Test
    void needsATracer() {
        String tracing = "org.springframework.boot.micrometer.tracing.";
        assertThatThrownBy(() -> SpringApplication.run(
                                Broker.class,
                                "--ringtable.data-dir=" + directory,
                                "--ringtable.tracing.enabled=true",
                                NO_DATABASE + "," + tracing
                                        + "opentelemetry.autoconfigure.OpenTelemetryTracingAutoConfiguration," + tracing
                                        + "autoconfigure.NoopTracerAutoConfiguration")
                        .close())
                .hasStackTraceContaining("RT-1170");
    }

    private static ConfigurableApplicationContext client(
            Class<?> source, String name, OtlpReceiver receiver, ConfigurableApplicationContext broker) {
        return run(
                source,
                name,
                receiver,
                "--ringtable.embedded.enabled=false",
                "--ringtable.client.uris="
                        + broker.getBean(EmbeddedBroker.class).uri(),
                "--management.tracing.sampling.probability=1");
    }

    private static ConfigurableApplicationContext run(
            Class<?> source, String name, OtlpReceiver receiver, String... more) {
        List<String> arguments = new ArrayList<>(List.of(more));
        arguments.add(NO_DATABASE);
        arguments.add("--spring.application.name=" + name);
        arguments.add("--management.opentelemetry.tracing.export.otlp.endpoint=" + receiver.endpoint());
        arguments.add("--management.opentelemetry.tracing.export.schedule-delay=50ms");
        return SpringApplication.run(source, arguments.toArray(String[]::new));
    }

    /** Draws the spans, each below its parent; those whose parent has not come are missing. */
    private static List<String> tree(List<Received> spans) {
        List<String> lines = new ArrayList<>();
        draw(spans, "", "", lines);
        return lines;
    }

    private static void draw(List<Received> spans, String parent, String indent, List<String> lines) {
        spans.stream()
                .filter(span -> span.parentId().equals(parent))
                .sorted(Comparator.comparing(OneTraceTest::label))
                .forEach(span -> {
                    lines.add(indent + label(span));
                    draw(spans, span.spanId(), indent + "  ", lines);
                });
    }

    private static String label(Received span) {
        return span.service() + ": " + span.name();
    }
}
