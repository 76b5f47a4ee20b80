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
import io.ringtable.client.Address;
import io.ringtable.client.Message;
import io.ringtable.client.RealBroker;
import io.ringtable.client.ReceivedMessage;
import io.ringtable.client.Receiver;
import io.ringtable.client.RingtableClient;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** The outbox pattern without an outbox: on a real PostgreSQL, with a real broker and Spring's own transactions. */
@Timeout(120)
class TransactionalPublisherTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    private TestDatabase database;
    private RingtableBroker broker;
    private RingtableClient client;
    private Receiver receiver;
    private DataSource dataSource;
    private TransactionTemplate transactions;
    private JdbcTemplate jdbc;
    private TransactionalPublisher publisher;

    /** A fresh, empty database. */
    TestDatabase database() throws Exception {
        return new PostgresqlTestDatabase();
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
        publisher = TransactionalPublisher.of(dataSource);
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
    void theMessageComesWithTheCommitAndNotBefore() {
        transactions.executeWithoutResult(status -> {
            jdbc.update("INSERT INTO booking VALUES ('one')");
            publisher.publish("queue://bookings", Message.text("one"));
            assertNothingComesBeforeTheNext();
        });
        assertThat(received()).isEqualTo("one");
        assertThat(jdbc.queryForList("SELECT name FROM booking", String.class)).containsExactly("one");
    }

    @Test
    void aRollBackTakesTheMessageWithIt() {
        assertThatThrownBy(() -> transactions.executeWithoutResult(status -> {
                    publisher.publish("queue://bookings", Message.text("never"));
                    throw new IllegalStateException("no seat");
                }))
                .hasMessage("no seat");
        transactions.executeWithoutResult(status -> {
            publisher.publish("queue://bookings", Message.text("never either"));
            status.setRollbackOnly();
        });
        transactions.executeWithoutResult(status -> publisher.publish("queue://bookings", Message.text("two")));
        assertThat(received()).isEqualTo("two");
        assertNothingComesBeforeTheNext();
    }

    @Test
    void aSavepointThatIsRolledBackTakesOnlyItsOwn() {
        TransactionTemplate nested = new TransactionTemplate(transactions.getTransactionManager());
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        transactions.executeWithoutResult(outer -> {
            publisher.publish("queue://bookings", Message.text("outer"));
            nested.executeWithoutResult(inner -> {
                publisher.publish("queue://bookings", Message.text("inner"));
                inner.setRollbackOnly();
            });
        });
        assertThat(received()).isEqualTo("outer");
        assertNothingComesBeforeTheNext();
    }

    @Test
    void headersPropertiesAndEveryKindOfBodyArrive() {
        transactions.executeWithoutResult(status -> {
            publisher.publish(
                    Address.queue("bookings"),
                    Message.builder()
                            .text("um café")
                            .messageId("m")
                            .correlationId("c")
                            .subject("s")
                            .priority(7)
                            .timeToLive(Duration.ofHours(1))
                            .property("country", "PT")
                            .property("seat", 12)
                            .property("paid", true)
                            .build());
            publisher.publish("bookings", Message.bytes(new byte[] {0, 1, 2}));
            publisher.publish("bookings", Message.json(Map.of("item", "book")));
        });
        ReceivedMessage text = receiver.receive(LONG).orElseThrow();
        assertThat(text.text()).isEqualTo("um café");
        assertThat(text.property("country")).isEqualTo("PT");
        assertThat(text.property("seat")).isEqualTo(12);
        assertThat(text.property("paid")).isEqualTo(true);
        assertThat(receiver.receive(LONG).orElseThrow().bytes()).containsExactly(0, 1, 2);
        ReceivedMessage json = receiver.receive(LONG).orElseThrow();
        assertThat(new String(json.bytes(), StandardCharsets.UTF_8)).isEqualTo("{\"item\":\"book\"}");
    }

    @Test
    void aPlainConnectionWillDo() throws Exception {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            TransactionalPublisher.publish(connection, Address.queue("bookings"), Message.text("plain"));
            assertNothingComesBeforeTheNext();
            connection.commit();
        }
        assertThat(received()).isEqualTo("plain");
    }

    @Test
    void refusesToPublishOutsideOfATransactionOfItsDataSource() {
        assertThatThrownBy(() -> publisher.publish("bookings", Message.text("x")))
                .hasMessageStartingWith("RT-5025")
                .hasMessageContaining("@Transactional");
        DataSource other = new DriverManagerDataSource(
                database.settings().properties().url(),
                database.settings().properties().username(),
                database.settings().properties().password());
        TransactionalPublisher elsewhere = TransactionalPublisher.of(other);
        transactions.executeWithoutResult(
                status -> assertThatThrownBy(() -> elsewhere.publish("bookings", Message.text("x")))
                        .hasMessageStartingWith("RT-5025")
                        .hasMessageContaining("another data source"));
        assertNothingComesBeforeTheNext();
    }

    @Test
    void refusesWhatCannotBeCarriedAndTellsWhatTheDatabaseSays() {
        transactions.executeWithoutResult(status -> {
            assertThatThrownBy(() -> publisher.publish(
                            "bookings",
                            Message.builder().property("at", Instant.EPOCH).build()))
                    .hasMessageStartingWith("RT-5014");
            assertThatThrownBy(() -> publisher.publish(
                            "bookings",
                            Message.builder().property("priority", "high").build()))
                    .hasMessageStartingWith("RT-5014")
                    .hasMessageContaining("name of a header");
            assertThatThrownBy(() -> publisher.publish("book\u0001ings", Message.text("x")))
                    .hasMessageStartingWith("RT-5026")
                    .hasMessageContaining("RT-3050");
            status.setRollbackOnly();
        });
    }

    @Test
    void refusesADatabaseWithoutAnInboxAndNamesIt() throws Exception {
        try (Connection file = DriverManager.getConnection("jdbc:sqlite::memory:")) {
            assertThatThrownBy(() -> TransactionalPublisher.publish(file, Address.queue("bookings"), Message.text("x")))
                    .hasMessageStartingWith("RT-5001")
                    .hasMessageContaining("SQLite");
        }
    }

    /** Asserts that the next message to come is one that another transaction commits now. */
    private void assertNothingComesBeforeTheNext() {
        try (Connection other = dataSource.getConnection()) {
            other.setAutoCommit(false);
            TransactionalPublisher.publish(other, Address.queue("bookings"), Message.text("next"));
            other.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        assertThat(received()).isEqualTo("next");
    }

    private String received() {
        Optional<ReceivedMessage> next = receiver.receive(LONG);
        next.ifPresent(ReceivedMessage::acknowledge);
        return next.orElseThrow().text();
    }
}
