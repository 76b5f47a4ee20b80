package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.jms.Connection;
import jakarta.jms.InvalidDestinationRuntimeException;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSProducer;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** Subscriptions of topics with parts, as they change and end, and as administrators see them. */
@Timeout(180)
class TopicPartsChangesScenarioTest extends TopicPartsScenario {
    // ---- subscriptions that change and end

    @Test
    void aDurableSubscriptionKeepsWhatComesWhileItsClientIsAwayUntilItIsUnsubscribed() {
        try (JMSContext client = broker.jms("jms.clientID=comes-back").createContext()) {
            Topic topic = client.createTopic("hot.away");
            client.createDurableConsumer(topic, "keeps").close();
            publish("hot.away");
            assertThat(owed("hot.away").stream().mapToInt(Integer::intValue).sum())
                    .isEqualTo(GROUPS * OF_EACH);
            JMSConsumer again = client.createDurableConsumer(topic, "keeps");
            requireOrder(take(GROUPS * OF_EACH, again), 0, OF_EACH);
            again.close();

            publish("hot.away");
            client.unsubscribe("keeps");
            assertThat(subscriptions("hot.away")).isEmpty();
            Awaitility.await().untilAsserted(() -> assertThat(owed("hot.away")).containsOnly(0));
            assertThatThrownBy(() -> client.unsubscribe("keeps"))
                    .isInstanceOf(InvalidDestinationRuntimeException.class);
        }
    }

    /** Jakarta Messaging 3.1 section 8.3.3: another selector is another subscription, and what was owed is gone. */
    @Test
    void anotherSelectorReplacesTheSubscriptionInAllParts() {
        try (JMSContext client = broker.jms("jms.clientID=changes").createContext()) {
            Topic topic = client.createTopic("hot.changed");
            client.createDurableConsumer(topic, "changes").close();
            publish("hot.changed");
            JMSConsumer changed = client.createDurableConsumer(topic, "changes", "n >= 8", false);
            assertThat(changed.receiveNoWait()).isNull();
            JsonNode all = subscriptions("hot.changed");
            assertThat(all)
                    .hasSize(SHARDS)
                    .allSatisfy(
                            each -> assertThat(each.get("selector").asString()).isEqualTo("n >= 8"));
            publish("hot.changed");
            requireOrder(take(2 * GROUPS, changed), 8, OF_EACH);
            changed.close();

            JMSConsumer moved = client.createDurableConsumer(client.createTopic("plain.topic"), "changes");
            assertThat(subscriptions("hot.changed")).isEmpty();
            assertThat(subscriptions("plain.topic")).hasSize(1);
            publish("plain.topic");
            requireOrder(take(GROUPS * OF_EACH, moved), 0, OF_EACH);
        }
    }

    @Test
    void aSharedSubscriptionInUseKeepsItsSelectorInAllParts() {
        try (JMSContext one = broker.jms().createContext();
                JMSContext other = broker.jms().createContext()) {
            Topic topic = one.createTopic("hot.used");
            JMSConsumer kept = one.createSharedDurableConsumer(topic, "used");
            JMSConsumer inMemory = one.createSharedConsumer(topic, "memory");
            assertThatThrownBy(() -> other.createSharedDurableConsumer(topic, "used", "n = 1"))
                    .hasMessageContaining("RT-2017");
            assertThatThrownBy(() -> other.createSharedConsumer(topic, "memory", "n = 1"))
                    .hasMessageContaining("RT-2017");
            publish("hot.used");
            requireOrder(take(GROUPS * OF_EACH, kept), 0, OF_EACH);
            requireOrder(take(GROUPS * OF_EACH, inMemory), 0, OF_EACH);
            kept.close();
            inMemory.close();

            JMSConsumer changed = other.createSharedDurableConsumer(topic, "used", "n = 1");
            JMSConsumer changedInMemory = other.createSharedConsumer(topic, "memory", "n = 1");
            publish("hot.used");
            requireOrder(take(GROUPS, changed), 1, 2);
            requireOrder(take(GROUPS, changedInMemory), 1, 2);
            changed.close();
            other.unsubscribe("used");
            assertThat(subscriptions("hot.used")).isEmpty();
        }
    }

    // ---- administration

    @Test
    void anAdministratorSeesASubscriptionOfEachPartAndEmptiesAndDeletesAllOfThemByAnyId() {
        try (JMSContext client = broker.jms("jms.clientID=listed").createContext()) {
            client.createDurableConsumer(client.createTopic("hot.listed"), "listed")
                    .close();
        }
        publish("hot.listed");
        JsonNode topic = administrator.get("/addresses/hot.listed");
        assertThat(topic.get("messages").asInt()).isEqualTo(GROUPS * OF_EACH);
        assertThat(topic.get("subscriptions").asInt()).isEqualTo(1);
        assertThat(topic.get("shards")).hasSize(SHARDS);
        JsonNode all = subscriptions("hot.listed");
        assertThat(all).hasSize(SHARDS);
        int owed = 0;
        for (JsonNode each : all) {
            assertThat(each.get("name").asString()).isEqualTo("listed");
            assertThat(each.get("attended").asBoolean()).isFalse();
            owed += each.get("owed").asInt();
        }
        assertThat(owed).isEqualTo(GROUPS * OF_EACH);
        assertThat(administrator.refused(409, "RT-2030", "DELETE", "/addresses/hot.listed", null))
                .contains("durable subscriptions: 1");
        assertThat(subscriptions("hot.listed")).as("after the refusal").hasSize(SHARDS);

        JsonNode last = all.get(SHARDS - 1);
        JsonNode messages = administrator
                .get("/addresses/hot.listed/messages?subscription="
                        + last.get("id").asLong())
                .get("items");
        assertThat(messages).hasSize(last.get("owed").asInt());
        administrator.refused(400, "RT-7230", "GET", "/addresses/hot.listed/messages", null);

        assertThat(administrator
                        .ask(202, "POST", "/subscriptions/" + last.get("id").asLong() + "/purge", null)
                        .get("together"))
                .hasSize(SHARDS);
        awaitOwed("hot.listed", 0, 0, 0, 0);
        administrator.delete("/subscriptions/" + last.get("id").asLong());
        assertThat(subscriptions("hot.listed")).isEmpty();
        administrator.delete("/addresses/hot.listed");
        assertThat(administrator.get("/addresses?filter=hot.listed").get("items"))
                .isEmpty();
    }

    @Test
    void aForcedDeletionTakesTheSubscriptionsOfAllParts() {
        try (JMSContext client = broker.jms("jms.clientID=forced").createContext()) {
            Topic topic = client.createTopic("hot.forced");
            client.createDurableConsumer(topic, "forced").close();
            publish("hot.forced");
            administrator.delete("/addresses/hot.forced?force=true");
            assertThatThrownBy(() -> client.unsubscribe("forced"))
                    .isInstanceOf(InvalidDestinationRuntimeException.class);
            JMSConsumer anew = client.createDurableConsumer(topic, "forced");
            publish("hot.forced");
            requireOrder(take(GROUPS * OF_EACH, anew), 0, OF_EACH);
        }
    }

    // ---- what dies, and transactions

    @Test
    void aDeadLetterGoesBackToTheSubscriptionOfItsPart() throws Exception {
        try (Connection connection = broker.jms("jms.clientID=dies&jms.prefetchPolicy.all=0"
                        + "&jms.redeliveryPolicy.maxRedeliveries=0&jms.redeliveryPolicy.outcome=REJECTED")
                .createConnection()) {
            connection.start();
            Session session = connection.createSession(false, Session.CLIENT_ACKNOWLEDGE);
            MessageConsumer consumer = session.createDurableConsumer(session.createTopic("hot.dying"), "dies");
            publish("hot.dying");
            for (int i = 0; i < GROUPS * OF_EACH; i++) {
                assertThat(consumer.receive(WAIT_MS)).isNotNull();
                session.recover();
            }
            assertThat(consumer.receiveNoWait()).isNull();
            Awaitility.await()
                    .untilAsserted(() -> assertThat(owed("DLQ").stream()
                                    .mapToInt(Integer::intValue)
                                    .sum())
                            .isEqualTo(GROUPS * OF_EACH));
            int[] wanted = new int[SHARDS];
            IntStream.range(0, GROUPS).forEach(group -> wanted[partOf("hot.dying", "pair " + group)] += OF_EACH);
            assertThat(owed("DLQ")).as("each in the shard of its part").containsExactlyElementsOf(boxed(wanted));

            administrator.ask(202, "POST", "/jobs", "{'action': 'redrive', 'from': 'DLQ'}");
            List<String> again = new ArrayList<>();
            for (int i = 0; i < GROUPS * OF_EACH; i++) {
                again.add(accepted(consumer));
            }
            assertThat(new TreeSet<>(again)).hasSize(GROUPS * OF_EACH);
        }
    }

    private static String accepted(MessageConsumer consumer) throws JMSException {
        Message message = consumer.receive(WAIT_MS);
        assertThat(message).isNotNull();
        message.acknowledge();
        return message.getBody(String.class);
    }

    @Test
    void aTransactionWithOneKeyPassesAndOneWithKeysOfTwoPartsIsRolledBack() {
        try (JMSContext client = broker.jms().createContext();
                JMSContext transacted = broker.jms().createContext(JMSContext.SESSION_TRANSACTED)) {
            Topic topic = client.createTopic("hot.transacted");
            JMSConsumer consumer = client.createConsumer(topic);
            List<String> groups = groupsOfEachPart("hot.transacted", 2);
            JMSProducer producer = transacted.createProducer();
            producer.setProperty("JMSXGroupID", groups.get(0))
                    .send(topic, "one")
                    .send(topic, "two");
            transacted.commit();
            producer.send(topic, "lost");
            producer.setProperty("JMSXGroupID", groups.get(1)).send(topic, "lost");
            assertThatThrownBy(transacted::commit).hasMessageContaining("RT-4523 topic 'hot.transacted' has parts");
            assertThat(take(2, consumer)).containsExactly("one", "two");
        }
    }
}
