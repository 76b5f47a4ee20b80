package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.jdbc.StoreSettings;
import io.ringtable.broker.store.postgresql.EmbeddedPostgresql;
import io.ringtable.broker.store.postgresql.PostgresqlServer;
import io.ringtable.broker.store.postgresql.PostgresqlTestDatabase;
import jakarta.jms.JMSContext;
import java.io.IOException;
import java.time.Duration;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One broker on two servers, of which one is stopped. */
@Timeout(180)
class DatabaseOutageScenarioTest {
    private static final int QUEUES = 4;
    private static final long WAIT_MS = 60_000;

    @Test
    void theShardOfAServerThatIsAwayNamesItAndGoesOnWhenItIsBack() throws Exception {
        PostgresqlTestDatabase main = null;
        EmbeddedPostgresql server = null;
        try {
            main = PostgresqlTestDatabase.migrated();
            server = EmbeddedPostgresql.start();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        } catch (IOException failure) {
            new EngineAbsent("postgresql", failure.getMessage(), failure).failOrSkip();
        }
        PostgresqlTestDatabase other = new PostgresqlTestDatabase(PostgresqlServer.of(server));
        StoreSettings store = other.settings();
        String place = store.properties().shownUrl();
        TestSettings settings = TestSettings.of(
                "ringtable.shards",
                2,
                "ringtable.lease",
                "2s",
                "ringtable.stores[0].name",
                "b",
                "ringtable.stores[0].url",
                store.properties().url(),
                "ringtable.stores[0].username",
                store.properties().username(),
                "ringtable.stores[0].password",
                store.properties().password(),
                "ringtable.stores[0].shards",
                1);
        try (TestBroker broker = TestBroker.start(main.settings(), settings)) {
            publish(broker, "before");
            server.stop();
            Awaitility.await().untilAsserted(() -> {
                assertThat(broker.status().shards().get(1).isActive()).isFalse();
                assertThat(broker.status().shards().get(1).text()).contains(place);
            });
            server.begin();
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> broker.status().shards().get(1).isActive());
            publish(broker, "after");
            try (JMSContext context = broker.jms().createContext()) {
                for (int queue = 0; queue < QUEUES; queue++) {
                    var consumer = context.createConsumer(context.createQueue("work." + queue));
                    assertThat(consumer.receiveBody(String.class, WAIT_MS)).isEqualTo("before");
                    assertThat(consumer.receiveBody(String.class, WAIT_MS)).isEqualTo("after");
                }
            }
        }
        server.stop();
        try (TestBroker broker = TestBroker.start(main.settings(), settings)) {
            assertThat(broker.status().shards().get(0).isActive()).isTrue();
            assertThat(broker.status().shards().get(1).isActive()).isFalse();
            assertThat(broker.status().shards().get(1).text()).contains("opening " + place);
            server.begin();
            Awaitility.await().until(() -> broker.status().shards().get(1).isActive());
            publish(broker, "after a start without the server");
        }
        other.close();
        main.close();
    }

    private static void publish(TestBroker broker, String text) {
        try (JMSContext context = broker.jms().createContext()) {
            IntStream.range(0, QUEUES)
                    .forEach(queue -> context.createProducer().send(context.createQueue("work." + queue), text));
        }
    }
}
