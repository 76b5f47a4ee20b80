package io.ringtable.client.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.RingtableBroker;
import io.ringtable.broker.TestSettings;
import io.ringtable.broker.config.StoreProperties;
import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.TestDatabase;
import io.ringtable.broker.store.postgresql.PostgresqlTestDatabase;
import io.ringtable.broker.work.CommitMonitor;
import io.ringtable.client.AlreadyAcknowledgedException;
import io.ringtable.client.Message;
import io.ringtable.client.Publisher;
import io.ringtable.client.RealBroker;
import io.ringtable.client.ReceivedMessage;
import io.ringtable.client.Receiver;
import io.ringtable.client.RingtableClient;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Effects exactly once: on a real database, with a real broker and Spring's own transactions. */
@Timeout(120)
class TransactionalAcknowledgerTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    private TestDatabase database;
    private RingtableBroker broker;
    private RingtableClient client;
    private Receiver receiver;
    private Publisher publisher;
    private DataSource dataSource;
    private TransactionTemplate transactions;
    private JdbcTemplate jdbc;
    private TransactionalAcknowledger acknowledger;

    /** A fresh, empty database. */
    TestDatabase database() throws Exception {
        return new PostgresqlTestDatabase();
    }

    /** Where settlements wait. */
    String inboxTable() {
        return "ringtable.inbox";
    }

    @BeforeEach
    void start() throws Exception {
        try {
            database = database();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
        TestSettings ours = TestSettings.of();
        broker = new RingtableBroker(database.settings(), ours.shard(), ours.amqp(), ours.logins(), CommitMonitor.NONE)
                .start();
        client = RealBroker.client(broker.amqpPort()).connect();
        receiver = client.receiver("queue://bookings");
        StoreProperties settings = database.settings().properties();
        dataSource = new DriverManagerDataSource(settings.url(), settings.username(), settings.password());
        transactions = new TransactionTemplate(new DataSourceTransactionManager(dataSource));
        jdbc = new JdbcTemplate(dataSource);
        jdbc.execute("CREATE TABLE booking (name varchar(20))");
        publisher = client.publisher("queue://bookings");
        acknowledger = TransactionalAcknowledger.of(dataSource);
    }

    @AfterEach
    void stop() throws Exception {
        if (database != null) {
            client.close();
            broker.close();
            database.close();
        }
    }

    @Test
    void aRollBackBringsTheMessageAgainAndACommitDoesNot() {
        publisher.publish(Message.text("one")).join();
        ReceivedMessage first = receive();
        assertThatThrownBy(() -> transactions.executeWithoutResult(status -> {
                    acknowledger.acknowledge(first);
                    throw new IllegalStateException("no seat");
                }))
                .hasMessage("no seat");
        first.fail();
        ReceivedMessage second = receive();
        assertThat(second.deliveryCount()).isEqualTo(2);
        transactions.executeWithoutResult(status -> {
            acknowledger.acknowledge(second);
            jdbc.update("INSERT INTO booking VALUES ('one')");
        });
        receiver.close();
        await().untilAsserted(() -> assertThat(owed()).isZero());
        receiver = client.receiver("queue://bookings");
        publisher.publish(Message.text("next")).join();
        assertThat(receive().text()).as("the first that comes").isEqualTo("next");
    }

    @Test
    void theBrokerMayHearOfItToo() {
        publisher.publish(Message.text("one")).join();
        publisher.publish(Message.text("two")).join();
        ReceivedMessage one = receive();
        ReceivedMessage two = receive();
        transactions.executeWithoutResult(status -> acknowledger.acknowledge(one));
        await().untilAsserted(() -> assertThat(owed()).isEqualTo(1)); // from the table
        assertThat(one.acknowledge()).isTrue();
        transactions.executeWithoutResult(status -> acknowledger.acknowledge(two));
        assertThat(two.acknowledge()).isTrue();
        await().untilAsserted(() -> assertThat(owed()).isZero());
        await().untilAsserted(() -> assertThat(inbox()).isZero());
    }

    @Test
    void whatWasDoneIsRefusedWithTheExceptionForIt() {
        publisher.publish(Message.text("one")).join();
        ReceivedMessage message = receive();
        transactions.executeWithoutResult(status -> acknowledger.acknowledge(message));
        assertThatThrownBy(() -> transactions.executeWithoutResult(status -> acknowledger.acknowledge(message)))
                .isInstanceOfSatisfying(
                        AlreadyAcknowledgedException.class,
                        done -> assertThat(done.deliveryTag()).isEqualTo(message.deliveryTag()))
                .hasMessageStartingWith("RT-5027 delivery " + message.deliveryTag());
        await().untilAsserted(() -> assertThat(inbox()).isZero());
        assertThatThrownBy(() -> transactions.executeWithoutResult(status -> acknowledger.acknowledge(message)))
                .isInstanceOf(AlreadyAcknowledgedException.class);
    }

    @Test
    void aHandlerThatMeetsItLeavesTheMessageAcknowledged() {
        receiver.close();
        publisher.publish(Message.text("one")).join();
        AtomicInteger calls = new AtomicInteger();
        client.subscribe("queue://bookings", message -> {
            calls.incrementAndGet();
            // As if an earlier delivery had committed and its process died.
            transactions.executeWithoutResult(status -> acknowledger.acknowledge(message));
            transactions.executeWithoutResult(status -> acknowledger.acknowledge(message));
        });
        await().untilAsserted(() -> assertThat(owed()).isZero());
        publisher.publish(Message.text("two")).join();
        await().untilAsserted(() -> assertThat(calls.get()).isEqualTo(2));
        await().untilAsserted(() -> assertThat(owed()).isZero());
    }

    @Test
    void aPlainConnectionWillDo() throws Exception {
        publisher.publish(Message.text("one")).join();
        ReceivedMessage message = receive();
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            TransactionalAcknowledger.acknowledge(connection, message);
            assertThat(owed()).isEqualTo(1);
            connection.commit();
        }
        await().untilAsserted(() -> assertThat(owed()).isZero());
    }

    @Test
    void refusesWithoutATransactionAndTellsWhatTheDatabaseSays() {
        publisher.publish(Message.text("one")).join();
        ReceivedMessage message = receive();
        assertThatThrownBy(() -> acknowledger.acknowledge(message))
                .hasMessageStartingWith("RT-5025")
                .hasMessageContaining("@Transactional");
        try (Receiver volatileReader = client.receiver("topic://news")) {
            client.publisher("topic://news").publish(Message.text("passing")).join();
            ReceivedMessage passing = volatileReader.receive(LONG).orElseThrow();
            assertThatThrownBy(() -> transactions.executeWithoutResult(status -> acknowledger.acknowledge(passing)))
                    .hasMessageStartingWith("RT-5028")
                    .hasMessageContaining("RT-3061");
        }
    }

    @Test
    void refusesATransactionWithASnapshotOfItsOwn() {
        assumeThatSnapshotsAreTaken();
        publisher.publish(Message.text("one")).join();
        ReceivedMessage message = receive();
        TransactionTemplate repeatable = new TransactionTemplate(transactions.getTransactionManager());
        repeatable.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
        assertThatThrownBy(() -> repeatable.executeWithoutResult(status -> acknowledger.acknowledge(message)))
                .hasMessageStartingWith("RT-5028")
                .hasMessageContaining("RT-3062");
    }

    /** Every server does unless it says so. */
    void assumeThatSnapshotsAreTaken() {}

    private ReceivedMessage receive() {
        return receiver.receive(LONG).orElseThrow();
    }

    private Long owed() {
        return jdbc.queryForObject("SELECT count(*) FROM ringtable.owed", Long.class);
    }

    private Long inbox() {
        return jdbc.queryForObject("SELECT count(*) FROM " + inboxTable(), Long.class);
    }

    private static ConditionFactory await() {
        return Awaitility.await().atMost(LONG);
    }
}
