package io.ringtable.spring.boot.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.ringtable.broker.config.StoreProperties;
import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.TestDatabase;
import io.ringtable.client.Message;
import io.ringtable.client.jdbc.TransactionalPublisher;
import io.ringtable.spring.annotation.RingtableListener;
import io.ringtable.spring.listener.AckMode;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.transaction.annotation.Transactional;

/** An application with JPA and Flyway on a real database server, whose broker stores in the same database. */
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class EmbeddedInDatabaseContract {
    private static final int POOL = 2;

    @TempDir
    static Path directory;

    private TestDatabase database;
    private ConfigurableApplicationContext shop;

    /** Makes an empty database. */
    abstract TestDatabase newDatabase() throws Exception;

    /** Where the application's own tables lie. */
    abstract String schema();

    /** How the broker names its engine. */
    abstract String engine();

    @Entity(name = "book_order")
    static class BookOrder {
        @Id
        private Long id;

        private String title;

        protected BookOrder() {}

        BookOrder(Long id, String title) {
            this.id = id;
            this.title = title;
        }
    }

    static class OrderDesk {
        private final EntityManager entities;
        private final TransactionalPublisher publisher;

        OrderDesk(EntityManager entities, DataSource dataSource) {
            this.entities = entities;
            this.publisher = TransactionalPublisher.of(dataSource);
        }

        @Transactional
        public void order(Long id, String title) {
            entities.persist(new BookOrder(id, title));
            publisher.publish("queue://orders", Message.text(title));
            if (title.isEmpty()) {
                throw new IllegalArgumentException("an order names a book");
            }
        }
    }

    static class Warehouse {
        private final EntityManager entities;
        final BlockingQueue<String> sent = new LinkedBlockingQueue<>();

        Warehouse(EntityManager entities) {
            this.entities = entities;
        }

        @JmsListener(destination = "queue://orders")
        void send(String title) {
            sent.add(title + " "
                    + entities.createQuery("select count(o) from book_order o where o.title = :title", Long.class)
                            .setParameter("title", title)
                            .getSingleResult());
        }
    }

    /** Stores a row in the transaction of its message, and fails once afterwards. */
    static class Returns {
        private final EntityManager entities;
        private boolean failed; // the listener's thread alone

        Returns(EntityManager entities) {
            this.entities = entities;
        }

        @RingtableListener(addresses = "queue://returns", ackMode = AckMode.TRANSACTIONAL)
        void take(String title) {
            entities.persist(new BookOrder(3L, title));
            entities.flush();
            if (!failed) {
                failed = true;
                throw new IllegalStateException("as the test asks");
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EntityScan(basePackageClasses = BookOrder.class)
    static class Shop {
        @Bean
        OrderDesk orderDesk(EntityManager entities, DataSource dataSource) {
            return new OrderDesk(entities, dataSource);
        }

        @Bean
        Warehouse warehouse(EntityManager entities) {
            return new Warehouse(entities);
        }

        @Bean
        Returns returns(EntityManager entities) {
            return new Returns(entities);
        }
    }

    @BeforeAll
    void start() throws Exception {
        try {
            database = newDatabase();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
        shop = run();
    }

    @AfterAll
    void stop() throws Exception {
        if (shop != null) {
            shop.close();
        }
        if (database != null) {
            database.close();
        }
    }

    private ConfigurableApplicationContext run() {
        return run("--ringtable.data-dir=" + directory);
    }

    private ConfigurableApplicationContext run(String dataDir) {
        StoreProperties settings = database.settings().properties();
        return SpringApplication.run(
                Shop.class,
                "--spring.datasource.url=" + settings.url(),
                "--spring.datasource.username=" + settings.username(),
                "--spring.datasource.password=" + settings.password(),
                "--spring.datasource.hikari.maximum-pool-size=" + POOL,
                "--spring.datasource.hikari.auto-commit=false",
                "--spring.flyway.locations=classpath:shop/migration",
                "--spring.flyway.default-schema=" + schema(),
                "--spring.jpa.properties.hibernate.default_schema=" + schema(),
                "--spring.jpa.hibernate.ddl-auto=validate",
                "--ringtable.embedded.data-source=dataSource",
                dataDir);
    }

    @Test
    void publishesWithTheTransactionOfJpa() throws Exception {
        OrderDesk desk = shop.getBean(OrderDesk.class);
        Warehouse warehouse = shop.getBean(Warehouse.class);

        assertThatThrownBy(() -> desk.order(1L, "")).isInstanceOf(IllegalArgumentException.class);
        desk.order(2L, "one book");

        assertThat(warehouse.sent.poll(60, TimeUnit.SECONDS)).isEqualTo("one book 1");
        assertThat(warehouse.sent).isEmpty();
    }

    @Test
    void acknowledgesInTheTransactionOfJpa() {
        shop.getBean(JmsTemplate.class).convertAndSend("queue://returns", "a returned book");

        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(count("ringtable.owed WHERE address = 'returns'"))
                        .isZero());
        assertThat(count(schema() + ".book_order WHERE title = 'a returned book'"))
                .as("rows of two deliveries, the first of which failed")
                .isEqualTo(1);
    }

    @Test
    void keepsItsTablesApartFromTheApplications() {
        assertThat(tables(schema())).containsExactlyInAnyOrder("book_order", "flyway_schema_history");
        assertThat(tables("ringtable"))
                .contains("ringtable_schema_history", "shard", "inbox")
                .doesNotContain("book_order", "flyway_schema_history");
    }

    /** An application that has taken its whole pool, and waits for the broker, must not end the broker's lease. */
    @Test
    void takesNoConnectionFromTheApplicationsPool() throws Exception {
        List<Connection> taken = new ArrayList<>();
        try {
            for (int i = 0; i < POOL; i++) {
                taken.add(shop.getBean(HikariDataSource.class).getConnection());
            }

            JmsTemplate jms = shop.getBean(JmsTemplate.class);
            jms.convertAndSend("queue://invoices", "one euro");
            jms.setReceiveTimeout(60_000);
            assertThat(jms.receiveAndConvert("queue://invoices")).isEqualTo("one euro");
        } finally {
            for (Connection connection : taken) {
                connection.close();
            }
        }
    }

    /** Also the check that a second start finds schema and messages of the first. */
    @Test
    void keepsMessagesThroughARestartOfTheApplication() {
        shop.getBean(JmsTemplate.class).convertAndSend("queue://kept", "one book");
        shop.close();

        shop = run();

        JmsTemplate jms = shop.getBean(JmsTemplate.class);
        jms.setReceiveTimeout(60_000);
        assertThat(jms.receiveAndConvert("queue://kept")).isEqualTo("one book");
        assertThat(shop.getBean(EmbeddedBroker.class).broker().status().engine())
                .startsWith(engine());
    }

    @Test
    void aSecondInstanceCannotTakeAFreePortWhileItStandsBy() {
        assertThatThrownBy(() -> run("--ringtable.data-dir=" + directory.resolve("second")))
                .hasStackTraceContaining("RT-1154 the embedded broker does not serve yet (standing by: node ");
    }

    private long count(String rows) {
        return shop.getBean(JdbcTemplate.class).queryForObject("SELECT count(*) FROM " + rows, Long.class);
    }

    private List<String> tables(String schema) {
        return shop.getBean(JdbcTemplate.class)
                .queryForList(
                        "SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = ?",
                        String.class,
                        schema);
    }
}
