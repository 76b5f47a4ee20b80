package io.ringtable.spring.boot.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.MeterRegistry;
import io.ringtable.broker.RingtableBroker;
import io.ringtable.broker.TestSettings;
import io.ringtable.broker.status.BrokerStatus;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.work.CommitMonitor;
import io.ringtable.spring.annotation.RingtableListener;
import io.ringtable.spring.boot.RingtableConnectionDetails;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.util.ClassUtils;

/** An application without a database and without a web server that runs its broker on a file. */
@Timeout(120)
@ExtendWith(OutputCaptureExtension.class)
class EmbeddedOnFileTest {
    private static final String NO_DATABASE =
            "--spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration,"
                    + "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration,"
                    + "org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration";

    @TempDir
    Path directory;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Shop {}

    @Test
    void keepsMessagesThroughARestartOfTheApplication() {
        try (ConfigurableApplicationContext shop = run(Shop.class)) {
            jms(shop).convertAndSend("queue://orders", "one book");
        }
        try (ConfigurableApplicationContext shop = run(Shop.class)) {
            jms(shop).setReceiveTimeout(10_000);
            assertThat(jms(shop).receiveAndConvert("queue://orders")).isEqualTo("one book");
        }
        assertThat(owed("orders")).isZero();
    }

    @Test
    void joinsTheActuatorWithoutAWebServer() {
        try (ConfigurableApplicationContext shop =
                run(Shop.class, "--management.endpoints.web.exposure.include=ringtable")) {
            jms(shop).convertAndSend("queue://orders", "one book");

            assertThat(ClassUtils.isPresent("org.apache.catalina.startup.Tomcat", null))
                    .isFalse();
            assertThat(shop.getBean("ringtableBrokerHealthIndicator", HealthIndicator.class)
                            .health()
                            .getStatus())
                    .isEqualTo(Status.UP);
            assertThat(shop.getBean(MeterRegistry.class)
                            .get("ringtable.messages.in")
                            .functionCounter()
                            .count())
                    .isEqualTo(1);
            assertThat(shop.getBean(RingtableEndpoint.class).status().addresses())
                    .extracting(BrokerStatus.Address::name)
                    .contains("orders");
        }
    }

    @Test
    void listensOnAFreePortOfLoopbackUnlessOneIsNamed() {
        try (ConfigurableApplicationContext one = run(Shop.class)) {
            int taken = one.getBean(EmbeddedBroker.class).uri().getPort();
            assertThat(one.getBean(RingtableConnectionDetails.class).getUris())
                    .containsExactly("amqp://127.0.0.1:" + taken);

            assertThatThrownBy(() -> run(
                                    Shop.class,
                                    "--ringtable.data-dir=" + directory.resolve("other"),
                                    "--ringtable.amqp.port=" + taken)
                            .close())
                    .hasStackTraceContaining("RT-4001 port " + taken + " is in use");
        }
    }

    @Test
    void leadsClientsToItselfBeforeOthers() {
        try (ConfigurableApplicationContext shop =
                run(Shop.class, "--ringtable.client.uris=amqp://other-1:5672,amqp://other-2:5672")) {
            assertThat(shop.getBean(RingtableConnectionDetails.class).getUris())
                    .containsExactly(
                            shop.getBean(EmbeddedBroker.class).uri().toString(),
                            "amqp://other-1:5672",
                            "amqp://other-2:5672");
        }
    }

    @Test
    void canBeSwitchedOff() {
        try (ConfigurableApplicationContext shop = run(Shop.class, "--ringtable.embedded.enabled=false")) {
            assertThat(shop.getBeanProvider(RingtableBroker.class).getIfAvailable())
                    .isNull();
            assertThat(shop.getBean(RingtableConnectionDetails.class).getUris())
                    .containsExactly("amqp://localhost:5672");
        }
    }

    @Test
    void saysInALineWhyTheBrokerDoesNotStart(CapturedOutput output) {
        assertThatThrownBy(() -> run(Shop.class, "--ringtable.embedded.data-source=shopData"))
                .isInstanceOf(Exception.class);
        assertThatThrownBy(() -> run(Shop.class, "--ringtable.amqp.port=70000")).isInstanceOf(Exception.class);
        assertThatThrownBy(() -> run(Shop.class, "--ringtable.commit.quota-mesages=7"))
                .isInstanceOf(Exception.class);

        assertThat(output.getOut())
                .contains("RT-1155 ringtable.embedded.data-source=shopData is no bean of a DataSource")
                .contains("RT-1002 ringtable.amqp.port=70000")
                .contains("RT-1001 unknown property ringtable.commit.quota-mesages")
                .doesNotContain("\tat ");
    }

    // ---- order

    /** Starts first and stops last of all that Spring starts and stops. */
    static final class FirstAndLast implements SmartLifecycle {
        private final JmsTemplate jms;
        private volatile boolean running;

        FirstAndLast(JmsTemplate jms) {
            this.jms = jms;
        }

        @Override
        public void start() {
            jms.convertAndSend("queue://ledger", "first");
            running = true;
        }

        @Override
        public void stop() {
            jms.convertAndSend("queue://ledger", "last");
            running = false;
        }

        @Override
        public boolean isRunning() {
            return running;
        }

        @Override
        public int getPhase() {
            return Integer.MIN_VALUE;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Bookkeeping extends Shop {
        @Bean
        FirstAndLast firstAndLast(JmsTemplate jms) {
            return new FirstAndLast(jms);
        }
    }

    @Test
    void servesBeforeTheFirstAndAfterTheLastOfTheApplication() {
        run(Bookkeeping.class).close();

        assertThat(owed("ledger")).isEqualTo(2);
    }

    /** Is in the middle of a message until the test lets it end. */
    static class SlowDesk {
        final CountDownLatch began = new CountDownLatch(1);
        final CountDownLatch mayEnd = new CountDownLatch(1);

        void work() throws InterruptedException {
            began.countDown();
            mayEnd.await(60, TimeUnit.SECONDS);
        }
    }

    static final class JmsDesk extends SlowDesk {
        @JmsListener(destination = "queue://orders")
        void handle(String order) throws InterruptedException {
            work();
        }
    }

    static final class SdkDesk extends SlowDesk {
        @RingtableListener("queue://orders")
        void handle(String order) throws InterruptedException {
            work();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class JmsShop extends Shop {
        @Bean
        JmsDesk desk() {
            return new JmsDesk();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class SdkShop extends Shop {
        @Bean
        SdkDesk desk() {
            return new SdkDesk();
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {JmsShop.class, SdkShop.class})
    void letsAListenerFinishItsMessageAndKeepsItsSettlement(Class<?> application) throws Exception {
        ConfigurableApplicationContext shop = run(application);
        SlowDesk desk = shop.getBean(SlowDesk.class);
        EmbeddedBroker broker = shop.getBean(EmbeddedBroker.class);
        jms(shop).convertAndSend("queue://orders", "one book");
        assertThat(desk.began.await(60, TimeUnit.SECONDS)).isTrue();

        CompletableFuture<Void> closing = CompletableFuture.runAsync(shop::close);
        // The listener's container waits for its message, so the broker must still be there.
        assertThat(closing)
                .failsWithin(Duration.ofMillis(500))
                .withThrowableThat()
                .isInstanceOf(TimeoutException.class);
        assertThat(broker.broker().state().isActive()).isTrue();
        desk.mayEnd.countDown();

        assertThat(closing).succeedsWithin(Duration.ofSeconds(60));
        assertThat(broker.broker().state().isActive()).isFalse();
        assertThat(owed("orders")).isZero();
    }

    private ConfigurableApplicationContext run(Class<?> application, String... arguments) {
        List<String> all = new ArrayList<>(List.of(NO_DATABASE));
        if (Stream.of(arguments).noneMatch(each -> each.startsWith("--ringtable.data-dir="))) {
            all.add("--ringtable.data-dir=" + directory);
        }
        all.add("--ringtable.ring.capacity=" + TestSettings.RING_CAPACITY);
        all.addAll(List.of(arguments));
        return SpringApplication.run(application, all.toArray(String[]::new));
    }

    private static JmsTemplate jms(ConfigurableApplicationContext application) {
        return application.getBean(JmsTemplate.class);
    }

    /** Reads, with a broker of its own, what the file owes now that the application has ended. */
    private long owed(String queue) {
        TestSettings settings = TestSettings.of();
        try (RingtableBroker broker = new RingtableBroker(
                        StoreSettings.embedded(directory),
                        settings.shard(),
                        settings.amqp(),
                        settings.logins(),
                        CommitMonitor.NONE)
                .start()) {
            return broker.status().shard().addresses().stream()
                    .filter(address -> address.name().equals(queue))
                    .flatMap(address -> address.subscriptions().stream())
                    .mapToLong(each -> each.owedInRing() + each.owedInBacklog())
                    .sum();
        }
    }
}
