package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.ring.ShardIds;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Applications publish by SQL to queues of both nodes of a cluster, in one transaction each. */
@Timeout(180)
class ClusterInboxScenarioTest {
    private static final int TRANSACTIONS = 50;
    private static final long WAIT_MS = 60_000;
    private static final String OF_OWNER = "q.owner";
    private static final String OF_FRONT = "q.front";

    @AutoClose
    private TwoNodes nodes;

    @BeforeEach
    void start() throws Exception {
        nodes = new TwoNodes(
                TwoNodes.settings().with("ringtable.queues", OF_OWNER).authenticator(RelayScenario.USERS));
        nodes.awaitKnown(OF_OWNER);
    }

    /** The node of shard 0 finds all rows, and passes on those of the other one. */
    @Test
    void eachMessageComesOnceAndInOrderToTheNodeThatHasItsQueue() throws Exception {
        try (JMSContext jms = nodes.front.jms("ann", "of ann").createContext()) {
            JMSConsumer ofFront = jms.createConsumer(jms.createQueue(OF_FRONT)); // makes it there
            JMSConsumer ofOwner = jms.createConsumer(jms.createQueue(OF_OWNER));
            assertThat(List.of(OF_OWNER, OF_FRONT))
                    .extracting(queue -> ShardIds.shardOf(
                            nodes.front.shard().lookup().find(queue).id()))
                    .containsExactly(0, 1);

            try (Connection connection = nodes.database.connect()) {
                connection.setAutoCommit(false);
                for (int i = 0; i < TRANSACTIONS; i++) {
                    publish(connection, OF_OWNER, "o" + i);
                    publish(connection, OF_FRONT, "f" + i);
                    connection.commit();
                }
                publish(connection, OF_FRONT, "never");
                connection.rollback();
                publish(connection, OF_OWNER, "last");
                publish(connection, OF_FRONT, "last");
                connection.commit();
            }

            for (int i = 0; i < TRANSACTIONS; i++) {
                assertThat(ofOwner.receiveBody(String.class, WAIT_MS)).isEqualTo("o" + i);
                assertThat(ofFront.receiveBody(String.class, WAIT_MS)).isEqualTo("f" + i);
            }
            assertThat(ofOwner.receiveBody(String.class, WAIT_MS)).isEqualTo("last");
            assertThat(ofFront.receiveBody(String.class, WAIT_MS)).isEqualTo("last");
        }
    }

    private static void publish(Connection connection, String address, String text) throws SQLException {
        try (PreparedStatement call = connection.prepareStatement("SELECT ringtable.publish(?, ?)")) {
            call.setString(1, address);
            call.setString(2, text);
            call.execute();
        }
    }
}
