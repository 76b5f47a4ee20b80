package io.ringtable.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.RingtableBroker;
import io.ringtable.broker.TestSettings;
import io.ringtable.broker.config.StoreProperties;
import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.TestDatabase;
import io.ringtable.broker.store.postgresql.PostgresqlTestDatabase;
import io.ringtable.broker.work.CommitMonitor;
import io.ringtable.client.ReceivedMessage;
import io.ringtable.client.Receiver;
import io.ringtable.client.RingtableClient;
import io.ringtable.client.jdbc.TransactionalAcknowledger;
import io.ringtable.client.jdbc.TransactionalPublisher;
import io.ringtable.spring.annotation.RingtableListener;
import io.ringtable.spring.listener.AckMode;
import io.ringtable.spring.listener.RingtableListenerContainer;
import io.ringtable.spring.listener.RingtableListenerContainerFactory;
import io.ringtable.spring.support.RingtableHeaders;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.SendTo;
import org.springframework.transaction.support.TransactionTemplate;

/** Effects exactly once, in the broker's own PostgreSQL, while connections to it are cut at the worst moments. */
@Timeout(120)
class TransactionalListenerTest {
    private static TestDatabase database;
    private static RingtableBroker broker;
    private static RingtableClient client;
    private static CutDataSource dataSource;
    private static JdbcTemplate jdbc;
    private static JdbcTemplate observer;
    private static DataSourceTransactionManager transactions;
    private static TransactionalAcknowledger acknowledger;

    private final String address = SharedBroker.queue();
    private final String answers = SharedBroker.queue();

    @BeforeAll
    static void start() throws Exception {
        try {
            database = new PostgresqlTestDatabase();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
        TestSettings ours = TestSettings.of();
        broker = new RingtableBroker(database.settings(), ours.shard(), ours.amqp(), ours.logins(), CommitMonitor.NONE)
                .start();
        client = RingtableClient.connect("amqp://127.0.0.1:" + broker.amqpPort());
        StoreProperties settings = database.settings().properties();
        DataSource uncut = new DriverManagerDataSource(settings.url(), settings.username(), settings.password());
        observer = new JdbcTemplate(uncut);
        dataSource = new CutDataSource(uncut);
        jdbc = new JdbcTemplate(dataSource);
        transactions = new DataSourceTransactionManager(dataSource);
        acknowledger = TransactionalAcknowledger.of(dataSource);
        observer.execute("CREATE TABLE payment (number int)");
    }

    @AfterAll
    static void stop() throws Exception {
        if (database != null) {
            client.close();
            broker.close();
            database.close();
        }
    }

    @BeforeEach
    void forgetPayments() {
        observer.update("DELETE FROM payment");
    }

    private static void settings(RingtableListenerContainerFactory factory) {
        RingtableTemplate template = new RingtableTemplate(client);
        template.setTransactionalPublisher(TransactionalPublisher.of(dataSource));
        factory.setReplyTemplate(template);
        factory.setTransactions(transactions, acknowledger);
        factory.setRecoveryInterval(Duration.ofMillis(20));
    }

    private Listeners listeners(Object bean) {
        return Listeners.start(
                client, Map.of("address", address, "answers", answers), bean, TransactionalListenerTest::settings);
    }

    /** Pays, and has its connection cut within the transaction or at its commit, once for some of the messages. */
    static class Pays {
        private final Map<Integer, Boolean> cut = new ConcurrentHashMap<>();

        @RingtableListener(
                addresses = "${address}",
                ackMode = AckMode.TRANSACTIONAL,
                concurrency = "2",
                prefetch = "10")
        @SendTo("${answers}")
        String pay(Integer number) {
            jdbc.update("INSERT INTO payment VALUES (?)", number);
            if (number % 5 == 0 && cut.putIfAbsent(number, true) == null) {
                jdbc.queryForObject("SELECT pg_terminate_backend(pg_backend_pid())", Boolean.class);
            }
            if (number % 5 == 1 && cut.putIfAbsent(number, true) == null) {
                dataSource.cutAfterNextCommitOfThisThread();
            }
            return "paid " + number;
        }
    }

    @Test
    void everyEffectAndEveryReplyIsThereOnceThroughCutConnections() {
        int count = 40;
        Pays listener = new Pays();
        try (Listeners application = listeners(listener);
                Receiver receiver = client.receiver(answers)) {
            for (int n = 0; n < count; n++) {
                application.template().sendAsync(address, n);
            }
            TreeSet<String> replies = new TreeSet<>();
            for (int n = 0; n < count; n++) {
                ReceivedMessage reply = receiver.receive(SharedBroker.SOON).orElseThrow();
                assertThat(replies.add(reply.text()))
                        .as("%s came once", reply.text())
                        .isTrue();
                reply.acknowledge();
            }
            await().untilAsserted(() -> assertThat(owed()).isZero());
            assertThat(receiver.receive(SharedBroker.NOTHING_MORE)).isEmpty();
        }
        assertThat(listener.cut).as("connections that were cut").hasSize(count / 5 * 2);
        assertThat(payments()).isEqualTo(IntStream.range(0, count).boxed().toList());
    }

    /** Takes batches; before the second transaction, another one has acknowledged the second message. */
    static class PaysInBatches {
        private final List<ReceivedMessage> first = new CopyOnWriteArrayList<>();

        @RingtableListener(
                addresses = "${address}",
                ackMode = AckMode.TRANSACTIONAL,
                batch = true,
                autoStartup = "false",
                id = "batches")
        void pay(List<ReceivedMessage> messages) {
            messages.forEach(message -> jdbc.update("INSERT INTO payment VALUES (?)", Integer.valueOf(message.text())));
            if (first.isEmpty() && messages.size() == 3) {
                first.addAll(messages);
                dataSource.beforeNextConnection(() -> acknowledgeAlone(messages.get(1)));
                throw new IllegalStateException("the first attempt");
            }
        }

        private static void acknowledgeAlone(ReceivedMessage message) {
            try (Connection connection = dataSource.direct()) {
                connection.setAutoCommit(false);
                TransactionalAcknowledger.acknowledge(connection, message);
                connection.commit();
            } catch (SQLException failed) {
                throw new IllegalStateException(failed);
            }
        }
    }

    @Test
    void aBatchGoesOnWithoutAMessageThatIsDoneAlready() {
        PaysInBatches listener = new PaysInBatches();
        List<Integer> paid = new ArrayList<>();
        try (Listeners application = listeners(listener)) {
            RingtableListenerContainer container = application.registry().container("batches");
            do { // once more if the three did not arrive together
                for (int n = 0; n < 3; n++) {
                    application.template().convertAndSend(address, Integer.toString(paid.size()));
                    paid.add(paid.size());
                }
                container.start();
                await().untilAsserted(() -> assertThat(owed()).isZero());
                container.stop();
            } while (listener.first.isEmpty());
        }
        paid.remove(Integer.valueOf(listener.first.get(1).text()));
        assertThat(payments()).isEqualTo(paid);
    }

    static class CountsDeliveries {
        private final List<Integer> deliveries = new CopyOnWriteArrayList<>();

        @RingtableListener(
                addresses = "${address}",
                ackMode = AckMode.TRANSACTIONAL,
                autoStartup = "false",
                id = "counts")
        void take(String text, @Header(RingtableHeaders.DELIVERY_COUNT) int count) {
            deliveries.add(count);
        }
    }

    @Test
    void aMessageDoesNotCountAsFailedWhileNoTransactionCanBegin() {
        CountsDeliveries listener = new CountsDeliveries();
        try (Listeners application = listeners(listener)) {
            application.template().convertAndSend(address, "one");
            dataSource.beforeNextConnection(() -> {
                throw new IllegalStateException("the database is away");
            });
            application.registry().container("counts").start();
            await().untilAsserted(() -> assertThat(owed()).isZero());
            assertThat(listener.deliveries).containsExactly(1);
        }
    }

    @Test
    void theTemplatePublishesWithTheTransactionAndRefusesOutsideOfOne() {
        RingtableTemplate template = new RingtableTemplate(client);
        assertThatThrownBy(() -> template.convertAndSendInTransaction(address, "lost"))
                .hasMessageStartingWith("RT-5043")
                .hasMessageContaining(address);
        template.setTransactionalPublisher(TransactionalPublisher.of(dataSource));
        assertThatThrownBy(() -> template.convertAndSendInTransaction(address, "lost"))
                .hasMessageStartingWith("RT-5025");

        TransactionTemplate transaction = new TransactionTemplate(transactions);
        transaction.executeWithoutResult(status -> {
            template.convertAndSendInTransaction(address, "rolled back");
            status.setRollbackOnly();
        });
        transaction.executeWithoutResult(status -> template.convertAndSendInTransaction(
                address, Map.of("number", 7), Map.of("country", "PT", RingtableHeaders.GROUP_ID, "g")));
        ReceivedMessage message = template.receive(address, SharedBroker.SOON, received -> received)
                .orElseThrow();
        assertThat(message.text()).isEqualTo("{\"number\":7}");
        assertThat(message.property("country")).isEqualTo("PT");
        assertThat(message.groupId()).contains("g");
    }

    private Long owed() {
        return observer.queryForObject(
                "SELECT count(*) FROM ringtable.owed WHERE address = ?",
                Long.class,
                address.substring("queue://".length()));
    }

    private static List<Integer> payments() {
        return observer.queryForList("SELECT number FROM payment ORDER BY number", Integer.class);
    }

    /** The application's way to its database, which a test cuts. */
    private static final class CutDataSource extends DelegatingDataSource {
        private final ThreadLocal<Boolean> cutAfterCommit = ThreadLocal.withInitial(() -> false);
        private final AtomicReference<Runnable> before = new AtomicReference<>();

        CutDataSource(DataSource target) {
            super(target);
        }

        void cutAfterNextCommitOfThisThread() {
            cutAfterCommit.set(true);
        }

        /** An exception of it fails the connection. */
        void beforeNextConnection(Runnable action) {
            before.set(action);
        }

        Connection direct() throws SQLException {
            return super.getConnection();
        }

        @Override
        public Connection getConnection() throws SQLException {
            Runnable action = before.getAndSet(null);
            if (action != null) {
                try {
                    action.run();
                } catch (IllegalStateException away) {
                    throw new SQLException(away.getMessage(), "08001", away);
                }
            }
            Connection real = super.getConnection();
            return (Connection) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                        Object result;
                        try {
                            result = method.invoke(real, arguments);
                        } catch (InvocationTargetException thrown) {
                            throw thrown.getCause();
                        }
                        if (method.getName().equals("commit") && cutAfterCommit.get()) {
                            cutAfterCommit.set(false);
                            real.abort(Runnable::run);
                            throw new SQLException("cut before the answer to the commit arrived", "08006");
                        }
                        return result;
                    });
        }
    }
}
