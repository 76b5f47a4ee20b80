package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.config.StoreProperties;
import io.ringtable.broker.status.BrokerState.Phase;
import io.ringtable.broker.status.ShardStatus;
import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.postgresql.PostgresqlTestDatabase;
import jakarta.jms.JMSContext;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node whose settings do not fit the rings of the cluster joins it: it serves no shard, and the other goes on. */
@Timeout(300)
class MisfitNodeScenarioTest {
    private static final long WAIT_MS = 60_000;

    @TempDir
    private Path directory;

    private PostgresqlTestDatabase database;

    @BeforeEach
    void makeDatabase() throws Exception {
        try {
            database = PostgresqlTestDatabase.migrated();
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
    }

    @AfterEach
    void dropDatabase() throws Exception {
        if (database != null) {
            database.close();
        }
    }

    private TestBroker start(String name, int capacity) {
        StoreProperties its = database.settings().properties();
        TestSettings store = TestSettings.of(
                "ringtable.store.url", its.url(),
                "ringtable.store.username", its.username(),
                "ringtable.store.password", its.password());
        TestSettings settings = TestSettings.of(
                "ringtable.shards",
                2,
                "ringtable.cluster.enabled",
                true,
                "ringtable.lease",
                "2s",
                "ringtable.ring.capacity",
                capacity);
        return TestBroker.start(store.store(directory.resolve(name)), settings);
    }

    @Test
    void aNodeThatCannotServeAShardGivesItBackAndGoesOnAsAFront() {
        try (TestBroker fitting = start("fitting", 16_384);
                TestBroker misfit = start("misfit", 32_768)) {
            await().until(() -> misfit.status().shards().stream().allMatch(shard -> shard.phase() == Phase.FAILED)
                    && fitting.status().shards().stream().allMatch(ShardStatus::isActive));

            assertThat(misfit.status().shards())
                    .allSatisfy(shard -> assertThat(shard.text()).contains("RT-2319", "ring.capacity=32768"));
            try (JMSContext context = misfit.jms().createContext()) {
                for (String queue : List.of("one", "two")) {
                    context.createProducer().send(context.createQueue(queue), queue);
                    assertThat(context.createConsumer(context.createQueue(queue))
                                    .receiveBody(String.class, WAIT_MS))
                            .isEqualTo(queue);
                }
            }
        }
    }
}
