package io.ringtable.spring.boot.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.config.StoreProperties;
import io.ringtable.client.Message;
import io.ringtable.client.Publisher;
import io.ringtable.client.RingtableClient;
import io.ringtable.spring.annotation.RingtableListener;
import io.ringtable.spring.boot.OneBroker;
import io.ringtable.spring.boot.RingtableConnectionAutoConfiguration;
import io.ringtable.spring.boot.client.RingtableClientAutoConfiguration;
import io.ringtable.spring.boot.jms.RingtableJmsAutoConfiguration;
import io.ringtable.spring.boot.transaction.RingtableTransactionAutoConfiguration;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.jms.autoconfigure.JmsAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jms.annotation.JmsListener;

/** Says how listeners of both kinds end with their application, and on which threads they run. */
@ExtendWith(OneBroker.class)
@Timeout(120)
class ListenerLifecycleTest {
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    SslAutoConfiguration.class,
                    LifecycleAutoConfiguration.class,
                    RingtableConnectionAutoConfiguration.class,
                    RingtableJmsAutoConfiguration.class,
                    RingtableClientAutoConfiguration.class,
                    RingtableTransactionAutoConfiguration.class,
                    RingtableListenerAutoConfiguration.class,
                    JmsAutoConfiguration.class))
            .withPropertyValues("ringtable.client.uris=" + OneBroker.uri());

    @Test
    void whatIsUnderWayIsFinishedAndAcknowledgedBeforeConnectionsClose() throws Exception {
        SlowListeners listeners = new SlowListeners();
        publish("end-jms", "end-sdk");
        runner.withBean(SlowListeners.class, () -> listeners).run(context -> {
            assertThat(listeners.entered.await(60, TimeUnit.SECONDS)).isTrue();
            RingtableClient client = context.getBean(RingtableClient.class);
            ConfigurableApplicationContext application = context.getSourceApplicationContext();
            CompletableFuture<Void> closing = CompletableFuture.runAsync(application::close);
            await().until(application::isClosed);
            assertThat(client.isConnected()).isTrue();
            listeners.released.countDown();
            closing.get(60, TimeUnit.SECONDS);
            assertThat(client.isConnected()).isFalse();
        });
        assertThat(listeners.finished).containsExactlyInAnyOrder("jms", "sdk");
        await().untilAsserted(
                        () -> assertThat(owed("end-jms") + owed("end-sdk")).isZero());
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void theyRunOnVirtualThreadsWhereTheApplicationDoes() throws Exception {
        NamingListeners listeners = new NamingListeners();
        publish("virtual-jms", "virtual-sdk");
        runner.withPropertyValues("spring.threads.virtual.enabled=true")
                .withBean(NamingListeners.class, () -> listeners)
                .run(context -> await().untilAsserted(() -> assertThat(listeners.threads)
                        .hasSize(2)
                        .allSatisfy(thread -> assertThat(thread).startsWith("VirtualThread["))));
    }

    private static void publish(String... queues) {
        try (RingtableClient client = RingtableClient.connect(OneBroker.uri())) {
            for (String queue : queues) {
                try (Publisher publisher = client.publisher(queue)) {
                    publisher.publishAndWait(Message.text("one"));
                }
            }
        }
    }

    private static int owed(String queue) throws SQLException {
        StoreProperties store = OneBroker.database();
        try (Connection connection = DriverManager.getConnection(store.url(), store.username(), store.password());
                Statement statement = connection.createStatement();
                ResultSet rows =
                        statement.executeQuery("SELECT count(*) FROM ringtable.owed WHERE address = '" + queue + "'")) {
            rows.next();
            return rows.getInt(1);
        }
    }

    static class SlowListeners {
        final CountDownLatch entered = new CountDownLatch(2);
        final CountDownLatch released = new CountDownLatch(1);
        final List<String> finished = new CopyOnWriteArrayList<>();

        @JmsListener(destination = "end-jms")
        void jms(String text) throws InterruptedException {
            work("jms");
        }

        @RingtableListener("queue://end-sdk")
        void sdk(String text) throws InterruptedException {
            work("sdk");
        }

        private void work(String name) throws InterruptedException {
            entered.countDown();
            if (!released.await(60, TimeUnit.SECONDS)) {
                throw new IllegalStateException("nobody released it");
            }
            finished.add(name);
        }
    }

    static class NamingListeners {
        final List<String> threads = new CopyOnWriteArrayList<>();

        @JmsListener(destination = "virtual-jms")
        void jms(String text) {
            threads.add(Thread.currentThread().toString());
        }

        @RingtableListener("queue://virtual-sdk")
        void sdk(String text) {
            threads.add(Thread.currentThread().toString());
        }
    }
}
