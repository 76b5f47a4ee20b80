package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.TestSettings;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.store.TestDatabase;
import io.ringtable.broker.store.sqlite.SqliteTestDatabase;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On one node with six shards, each in a file of its own: clients notice nothing. */
class ManyShardsJmsScenarioTest extends JmsScenarioContract {
    @Override
    TestDatabase database() throws Exception {
        return new SqliteTestDatabase();
    }

    @Override
    TestSettings settings() {
        return TestSettings.of("ringtable.shards", 6, "ringtable.topics", "before,after");
    }

    @Test
    void aSharedSubscriptionChangesItsTopicOnlyWhileNobodyReadsIt(@TempDir Path directory) {
        try (TestBroker broker = TestBroker.start(directory, settings());
                JMSContext one = broker.jms().createContext();
                JMSContext two = broker.jms().createContext()) {
            assertThat(shardOf(broker, "before")).isNotEqualTo(shardOf(broker, "after"));
            JMSConsumer stored = one.createSharedDurableConsumer(one.createTopic("before"), "moves");
            JMSConsumer inMemory = one.createSharedConsumer(one.createTopic("before"), "moves");
            assertThatThrownBy(() -> two.createSharedDurableConsumer(two.createTopic("after"), "moves"))
                    .hasMessageContaining("RT-2017");
            assertThatThrownBy(() -> two.createSharedConsumer(two.createTopic("after"), "moves"))
                    .hasMessageContaining("RT-2017");
            stored.close();
            inMemory.close();
            stored = two.createSharedDurableConsumer(two.createTopic("after"), "moves");
            inMemory = two.createSharedConsumer(two.createTopic("after"), "moves");
            one.createProducer().send(one.createTopic("before"), "for nobody");
            one.createProducer().send(one.createTopic("after"), "for both");
            assertThat(stored.receiveBody(String.class, 60_000)).isEqualTo("for both");
            assertThat(inMemory.receiveBody(String.class, 60_000)).isEqualTo("for both");
        }
    }

    private static int shardOf(TestBroker broker, String topic) {
        return ShardIds.shardOf(broker.shard().lookup().find(topic).id());
    }
}
