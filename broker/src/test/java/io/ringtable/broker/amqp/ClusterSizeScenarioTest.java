package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.config.ConfigurationRefused;
import io.ringtable.broker.status.BrokerState.Phase;
import io.ringtable.broker.store.postgresql.DatabaseDoor;
import jakarta.jms.JMSContext;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Nodes of one database of PostgreSQL agree on how many shards there are, whatever each of them was told (ADR 69). */
@Timeout(300)
class ClusterSizeScenarioTest {
    @AutoClose
    private TestCluster cluster;

    private final ExecutorService executor = Executors.newFixedThreadPool(2);

    @BeforeEach
    void makeDatabase() throws Exception {
        cluster = TestCluster.onEmptyDatabase(TestCluster.settings(2, "2s"));
    }

    @AfterEach
    void stop() {
        executor.shutdownNow();
    }

    private TestBroker start(String name, int shards) {
        return cluster.start(name, "", "ringtable.shards", shards);
    }

    private static void awaitOwned(TestBroker node, int shards) {
        node.awaitOwned(IntStream.range(0, shards).boxed().toArray(Integer[]::new));
    }

    private String agreed() throws Exception {
        return cluster.ask("SELECT shard_id FROM ringtable.home WHERE scope = 'shards' AND name = 'all'");
    }

    @Test
    void aNodeWithAnotherNumberIsRefusedAndTheOthersServeOn() throws Exception {
        TestBroker a = start("a", 2);
        awaitOwned(a, 2);
        assertThatThrownBy(() -> start("more", 3))
                .isInstanceOf(ConfigurationRefused.class)
                .hasMessageStartingWith("RT-1223 ringtable.shards=3, and the cluster has 2 shards, as node '")
                .hasMessageContaining("set ringtable.shards to 2. To add shards stop all nodes");
        assertThat(cluster.ask("SELECT max(shard_id) FROM ringtable.shard"))
                .as("no ring was laid")
                .isEqualTo("1");
        try (JMSContext context = a.jms().createContext()) {
            context.createProducer().send(context.createQueue("served.on"), "text");
        }

        cluster.stopAll();
        TestBroker larger = start("larger", 3);
        awaitOwned(larger, 3);
        assertThat(agreed()).isEqualTo("3");
        assertThatThrownBy(() -> start("a", 2))
                .isInstanceOf(ConfigurationRefused.class)
                .hasMessageStartingWith("RT-1222 ringtable.shards=2, and the store has shard 2");
        try (JMSContext context = larger.jms().createContext()) {
            assertThat(context.createConsumer(context.createQueue("served.on")).receiveBody(String.class, 60_000))
                    .isEqualTo("text");
        }
    }

    @Test
    void ofTwoNodesThatBeginAtOnceWithDifferentNumbersOneServes() throws Exception {
        assertThat(oneOf(2, 3)).as("on an empty database").isIn(2, 3);
        cluster.stopAll();
        assertThat(oneOf(4, 5)).as("with shards to add").isIn(4, 5);
    }

    /** Starts two nodes at once. @return the number of the one that serves */
    private int oneOf(int first, int second) throws Exception {
        List<CompletableFuture<TestBroker>> started = List.of(startLater(first), startLater(second));
        int serves = 0;
        for (int i = 0; i < 2; i++) {
            try {
                int number = i == 0 ? first : second;
                awaitOwned(started.get(i).get(), number);
                assertThat(serves).as("both serve").isZero();
                serves = number;
            } catch (ExecutionException refused) {
                assertThat(refused.getCause())
                        .isInstanceOf(ConfigurationRefused.class)
                        .message()
                        .containsPattern("RT-122[23] ");
            }
        }
        assertThat(agreed()).isEqualTo(String.valueOf(serves));
        assertThat(cluster.ask("SELECT count(*) FROM ringtable.shard")).isEqualTo(String.valueOf(serves));
        return serves;
    }

    private CompletableFuture<TestBroker> startLater(int shards) {
        return CompletableFuture.supplyAsync(() -> start("with-" + shards, shards), executor);
    }

    @Test
    void aNodeThatWasTakenForDeadEndsIfTheOthersHaveBegunWithMore() throws Exception {
        DatabaseDoor door = cluster.door("lost");
        TestBroker lost = start("lost", 2);
        awaitOwned(lost, 2);
        door.shut();
        await().until(() -> !lost.status().state().isActive());
        await().pollInterval(200, TimeUnit.MILLISECONDS)
                .ignoreException(ConfigurationRefused.class)
                .until(() -> start("more", 3) != null);
        door.open();
        await().until(() -> lost.status().state().phase() == Phase.FAILED);
        assertThat(lost.status().state().text()).contains("RT-1222 ringtable.shards=2, and ");
    }
}
