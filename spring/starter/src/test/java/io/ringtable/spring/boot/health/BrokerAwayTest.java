package io.ringtable.spring.boot.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.MemoryDirectory;
import io.ringtable.broker.TestSettings;
import io.ringtable.client.Message;
import io.ringtable.client.Publisher;
import io.ringtable.client.RingtableClient;
import io.ringtable.spring.boot.OwnBroker;
import io.ringtable.spring.boot.RingtableConnectionAutoConfiguration;
import io.ringtable.spring.boot.client.RingtableClientAutoConfiguration;
import io.ringtable.spring.boot.jms.RingtableJmsAutoConfiguration;
import jakarta.jms.ConnectionFactory;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jms.autoconfigure.JmsAutoConfiguration;
import org.springframework.boot.jms.health.JmsHealthIndicator;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.jms.core.JmsTemplate;

/** Tells how health and an application follow a broker that goes and comes. */
@Timeout(180)
class BrokerAwayTest {
    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    SslAutoConfiguration.class,
                    LifecycleAutoConfiguration.class,
                    RingtableConnectionAutoConfiguration.class,
                    RingtableJmsAutoConfiguration.class,
                    RingtableClientAutoConfiguration.class,
                    RingtableHealthAutoConfiguration.class,
                    JmsAutoConfiguration.class))
            .withPropertyValues(
                    "spring.lifecycle.timeout-per-shutdown-phase=10m",
                    "ringtable.client.reconnect.longest-delay=200ms",
                    "ringtable.client.publish-timeout=1s");

    /** An end that waits for the broker would take longer than the test may. */
    @Test
    void healthFollowsTheConnectionsAndAnApplicationEndsWithoutTheBroker() {
        try (OwnBroker broker = new OwnBroker(directory, TestSettings.of())) {
            runner.withPropertyValues("ringtable.client.uris=amqp://127.0.0.1:" + broker.port())
                    .withBean(Listener.class)
                    .run(context -> {
                        HealthIndicator health = context.getBean(HealthIndicator.class);
                        RingtableClient client = context.getBean(RingtableClient.class);
                        Listener listener = context.getBean(Listener.class);
                        context.getBean(JmsTemplate.class).convertAndSend("away", "before");
                        assertThat(listener.texts.poll(60, TimeUnit.SECONDS)).isEqualTo("before");
                        assertThat(health.health())
                                .isEqualTo(Health.up()
                                        .withDetail("client-connections", 1)
                                        .withDetail("jms-connections", 2)
                                        .build());
                        int port = broker.port();
                        broker.stop();
                        await().untilAsserted(() -> assertThat(health.health().getDetails())
                                .containsOnlyKeys("client-trouble", "jms-trouble"));
                        assertThat(health.health().getStatus()).isEqualTo(Status.DOWN);
                        assertThat((String) health.health().getDetails().get("jms-trouble"))
                                .contains("127.0.0.1:" + port);

                        assertThatThrownBy(
                                        () -> context.getBean(JmsTemplate.class).convertAndSend("away", "lost"))
                                .hasStackTraceContaining("Timed out");
                        assertThat(new JmsHealthIndicator(context.getBean(ConnectionFactory.class))
                                        .health()
                                        .getStatus())
                                .as("what Spring Boot's own says, for docs/spring.md")
                                .isEqualTo(Status.UP);

                        broker.start();
                        await().untilAsserted(() ->
                                assertThat(health.health().getStatus()).isEqualTo(Status.UP));
                        try (Publisher publisher = client.publisher("queue://away")) {
                            publisher.publishAndWait(Message.text("back"));
                        }
                        await().until(() -> "back".equals(listener.texts.poll()));
                        broker.stop();
                    });
        }
    }

    @Test
    void healthSaysWhyNothingConnectedAndNothingOfWhatNobodyAskedFor() {
        runner.withPropertyValues("ringtable.client.uris=amqp://127.0.0.1:1")
                .run(context -> assertThat(
                                context.getBean(HealthIndicator.class).health())
                        .isEqualTo(Health.unknown().build()));
        runner.withPropertyValues("ringtable.client.uris=amqp://127.0.0.1:1")
                .withBean(Listener.class)
                .run(context -> {
                    HealthIndicator health = context.getBean(HealthIndicator.class);
                    await().untilAsserted(() -> assertThat(
                                    (String) health.health().getDetails().get("jms-trouble"))
                            .containsAnyOf("Connection refused", "no broker could be reached"));
                    assertThat(health.health().getStatus()).isEqualTo(Status.DOWN);
                });
        runner.withPropertyValues("management.health.ringtable.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(HealthIndicator.class));
    }

    static class Listener {
        final BlockingQueue<String> texts = new LinkedBlockingQueue<>();

        @JmsListener(destination = "away")
        void hear(String text) {
            texts.add(text);
        }
    }
}
