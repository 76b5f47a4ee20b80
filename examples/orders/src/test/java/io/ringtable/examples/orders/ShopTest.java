package io.ringtable.examples.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.config.StoreProperties;
import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.TestDatabase;
import io.ringtable.broker.store.postgresql.PostgresqlTestDatabase;
import io.ringtable.test.AutoConfigureRingtable;
import io.ringtable.test.TestBroker;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.web.server.ResponseStatusException;

/** The shop with its database and the broker that stores there. */
@SpringBootTest
@AutoConfigureRingtable(
        properties = {
            "ringtable.store.url=#{dataSource.jdbcUrl}",
            "ringtable.store.username=#{dataSource.username}",
            "ringtable.store.password=#{dataSource.password}"
        })
class ShopTest {

    @DynamicPropertySource
    static void database(DynamicPropertyRegistry registry) throws Exception {
        TestDatabase database = null;
        try {
            database = new PostgresqlTestDatabase();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
        StoreProperties settings = database.settings().properties();
        registry.add("spring.datasource.url", settings::url);
        registry.add("spring.datasource.username", settings::username);
        registry.add("spring.datasource.password", settings::password);
    }

    @Autowired
    private OrderDesk desk;

    @Autowired
    private BookOrders orders;

    @Test
    void shipsWhatIsOrdered(TestBroker broker) {
        Long id = desk.order("Moby-Dick");

        broker.awaitConsumed("queue://orders", 1);

        assertThat(orders.findById(id).orElseThrow().isShipped()).isTrue();
    }

    @Test
    void publishesNothingIfTheTransactionRollsBack(TestBroker broker) {
        assertThatThrownBy(() -> desk.order("x".repeat(101))).isInstanceOf(ResponseStatusException.class);
        desk.order("Walden"); // behind it in the same queue

        broker.awaitConsumed("queue://orders", 1);

        assertThat(broker.published("queue://orders")).hasSize(1);
        assertThat(orders.findAll()).extracting(BookOrder::getTitle).doesNotContain("x".repeat(101));
    }
}
