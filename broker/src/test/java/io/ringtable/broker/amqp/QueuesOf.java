package io.ringtable.broker.amqp;

import io.ringtable.broker.ring.ShardIds;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Session;
import java.util.ArrayList;
import java.util.List;

/** Makes queues at a node until enough of them are in one of its shards. */
final class QueuesOf {
    private QueuesOf() {}

    static List<String> shard(TestBroker owner, int shard, int count) throws JMSException {
        List<String> queues = new ArrayList<>();
        try (Connection connection = owner.jms().createConnection()) {
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            for (int i = 0; queues.size() < count; i++) {
                String queue = "queue." + i;
                session.createProducer(session.createQueue(queue)).close();
                if (ShardIds.shardOf(owner.shard().lookup().find(queue).id()) == shard) {
                    queues.add(queue);
                }
            }
        }
        return queues;
    }
}
