package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.dispatch.Parts;
import io.ringtable.broker.management.ManagementJson;
import io.ringtable.broker.message.PartKey;
import io.ringtable.broker.status.BrokerState.Phase;
import io.ringtable.broker.store.Ownership;
import jakarta.jms.Connection;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Queues with a part in each of the three shards, of which one fails. */
abstract class PartOutageScenario extends ShardOutageScenario {

    /** Keys keep their part, and so their order: nothing of a key goes elsewhere while its part is away. */
    @Test
    void aQueueWithPartsIsServedFromThoseThatAreThereAndGetsTheOtherWhenItIsBack() throws Exception {
        start("50ms");
        assertThat(ask("PUT", "/policies/wide.#", "{'parts': 3}").status()).isEqualTo(201);
        assertThat(ask("PUT", "/policies/wide.only", "{'parts': 3, 'exclusive': true}")
                        .status())
                .isEqualTo(201);
        String queue = "wide.queue";
        String exclusive = "wide.only";
        String failing = queueIn(1);
        assertThat(publish(queue, "made")).isTrue();
        assertThat(received(queue, 1)).containsExactly("made");
        List<String> groups = groupsOf(queue);
        for (String group : groups) {
            publishing(queue, "before of " + group, group);
            publishing(exclusive, "of " + group, group);
        }
        plan = (shard, verb) -> shard == 1 && verb.equals("acquire")
                ? new Ownership.HeldBy("the other", 7, 60_000)
                : noFlushOf(1).instead(shard, verb);
        publish(failing);
        await().until(() -> viewOf(queue).has("away")); // new links go elsewhere from then on

        try (JMSContext context = jms().createContext();
                JMSContext second = jms().createContext();
                Connection connection = jms().createConnection()) {
            JMSConsumer only = context.createConsumer(context.createQueue(exclusive));
            JMSConsumer next = second.createConsumer(second.createQueue(exclusive));
            assertThat(bodies(only, 2)).containsExactlyInAnyOrder("of " + groups.get(0), "of " + groups.get(2));
            JMSConsumer consumer = context.createConsumer(context.createQueue(queue));
            assertThat(bodies(consumer, 2))
                    .containsExactlyInAnyOrder("before of " + groups.get(0), "before of " + groups.get(2));
            assertThat(consumer.receiveNoWait()).isNull();

            Session session = connection.createSession();
            MessageProducer producer = session.createProducer(session.createQueue(queue));
            for (String group : List.of(groups.get(0), groups.get(2))) {
                producer.send(inGroup(session, "meanwhile", group));
            }
            producer.send(inGroup(session, "without a key", null));
            assertThatThrownBy(() -> producer.send(inGroup(session, "refused", groups.get(1))))
                    .hasMessageContaining("RT-4586 the part of queue 'wide.queue' that gets all messages of this key")
                    .hasMessageContaining("RT-4533 shard 1 of this node is away");
            assertThatThrownBy(() -> publishing(queue, "refused", groups.get(1)))
                    .hasMessageContaining("RT-4586");
            assertThat(bodies(consumer, 3)).containsExactlyInAnyOrder("meanwhile", "meanwhile", "without a key");
            assertThat(viewOf(queue).path("away").toString()).isEqualTo("[1]");
            assertThatThrownBy(() -> broker.shard()
                            .catalog()
                            .deleteStored(broker.shard().lookup().find(queue), true)
                            .toCompletableFuture()
                            .join())
                    .hasMessageContaining("RT-4533");
            assertThat(viewOf(queue).path("parts").size())
                    .as("parts after a deletion that cannot be whole")
                    .isEqualTo(SHARDS);

            plan = NONE;
            await().until(() -> phases().get(1) == Phase.ACTIVE);

            assertThat(bodies(consumer, 1))
                    .as("the link gets what the part has")
                    .containsExactly("before of " + groups.get(1));
            assertThat(bodies(only, 1))
                    .as("the part that is back serves the same one consumer as the others")
                    .containsExactly("of " + groups.get(1));
            assertThat(next.receiveNoWait()).isNull();
            producer.send(inGroup(session, "after", groups.get(1)));
            assertThat(bodies(consumer, 1)).as("the link publishes to the part").containsExactly("after");
            assertThat(consumer.receiveNoWait()).isNull();
        }
        assertThat(viewOf(queue).has("away")).isFalse();
    }

    /** A group of each part, by shard. */
    private List<String> groupsOf(String queue) {
        Parts parts = broker.shard().partsOf(broker.shard().lookup().find(queue));
        String[] groups = new String[SHARDS];
        for (int i = 0; Arrays.asList(groups).contains(null); i++) {
            groups[parts.indexOf(PartKey.of("group " + i))] = "group " + i;
        }
        return List.of(groups);
    }

    private static Message inGroup(Session session, String body, String group) throws JMSException {
        Message message = session.createTextMessage(body);
        if (group != null) {
            message.setStringProperty("JMSXGroupID", group);
        }
        return message;
    }

    /** Publishes without a link of the queue's own. */
    private void publishing(String queue, String body, String group) {
        try (JMSContext context = jms().createContext()) {
            context.createProducer().setProperty("JMSXGroupID", group).send(context.createQueue(queue), body);
        }
    }

    private static List<String> bodies(JMSConsumer consumer, int count) {
        List<String> bodies = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            bodies.add(consumer.receiveBody(String.class, 60_000));
        }
        return bodies;
    }

    private JsonNode viewOf(String address) {
        return ManagementJson.MAPPER.valueToTree(
                ask("GET", "/addresses/" + address, null).body());
    }
}
