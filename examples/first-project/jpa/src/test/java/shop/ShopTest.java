package shop;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.test.AutoConfigureRingtable;
import io.ringtable.test.TestBroker;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import jakarta.persistence.EntityManager;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

@SpringBootTest
@AutoConfigureRingtable(
        properties = {
            "ringtable.store.url=#{dataSource.jdbcUrl}",
            "ringtable.store.username=#{dataSource.username}",
            "ringtable.store.password=#{dataSource.password}"
        })
class ShopTest {

    @DynamicPropertySource
    static void database(DynamicPropertyRegistry registry) throws IOException {
        EmbeddedPostgres database = EmbeddedPostgres.builder() // which does not sync unless told to
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("full_page_writes", "on")
                .start();
        registry.add("spring.datasource.url", () -> database.getJdbcUrl("postgres", "postgres"));
        registry.add("spring.datasource.password", () -> "postgres");
    }

    @Autowired
    OrderDesk desk;

    @Autowired
    EntityManager rows;

    @Test
    void shipsWhatIsOrderedOnce(TestBroker broker) {
        Long id = desk.order("Moby-Dick");

        broker.awaitConsumed("queue://orders", 1);

        assertThat(rows.find(BookOrder.class, id).shipped).isEqualTo(1);
    }
}
