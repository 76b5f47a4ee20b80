package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.status.BrokerState.Phase;
import io.ringtable.broker.status.ShardStatus;
import jakarta.jms.JMSContext;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node whose settings do not fit the rings of the cluster joins it: it serves no shard, and the other goes on. */
@Timeout(300)
class MisfitNodeScenarioTest {
    private static final long WAIT_MS = 60_000;

    @Test
    void aNodeThatCannotServeAShardGivesItBackAndGoesOnAsAFront() throws Exception {
        try (TestCluster cluster = new TestCluster(TestCluster.settings(2, "2s"))) {
            TestBroker fitting = cluster.start("fitting", "");
            TestBroker misfit = cluster.start("misfit", "", "ringtable.ring.capacity", 2 * TestSettings.RING_CAPACITY);
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
