package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.message.Address;
import io.ringtable.broker.ring.ShardIds;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSProducer;
import jakarta.jms.Message;
import jakarta.jms.Queue;
import jakarta.jms.QueueBrowser;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** Queues with parts, as clients, administrators and policies see them. */
@Timeout(120)
class PartsScenarioTest extends PartsScenario {
    @Test
    void anAdministratorSeesOneQueueWithItsPartsAndEmptiesAndDeletesAllOfIt() {
        try (JMSContext context = broker.jms().createContext()) {
            JMSProducer producer = context.createProducer();
            for (int i = 0; i < 40; i++) {
                send(context, producer, "hot.listed", "key " + i, "x");
            }
        }
        JsonNode shown = administrator.get("/addresses/hot.listed");
        assertThat(shown.get("messages").asInt()).isEqualTo(40);
        assertThat(shown.get("shards")).hasSize(SHARDS);
        assertThat(owed("hot.listed"))
                .hasSize(SHARDS)
                .allSatisfy(part -> assertThat(part).isPositive());
        JsonNode listed =
                administrator.get("/addresses?filter=hot.listed").get("items").get(0);
        assertThat(listed).isEqualTo(shown);
        JsonNode message =
                administrator.get("/addresses/hot.listed/messages").get("items").get(0);
        String life = "/messages/" + message.get("sequence").asLong() + "/explain?shard="
                + message.get("shard").asInt();
        assertThat(administrator.get(life).get("shard")).isEqualTo(message.get("shard"));
        assertThat(administrator.refused(409, "RT-2030", "DELETE", "/addresses/hot.listed", null))
                .contains("messages owed");
        assertThat(owed("hot.listed")).as("parts after the refusal").hasSize(SHARDS);

        assertThat(administrator
                        .ask(202, "POST", "/addresses/hot.listed/purge", null)
                        .get("together"))
                .hasSize(SHARDS);
        awaitOwed("hot.listed", 0, 0, 0, 0);
        administrator.delete("/addresses/hot.listed");
        for (int shard = 0; shard < SHARDS; shard++) {
            assertThat(administrator.get("/addresses?shard=" + shard).toString())
                    .doesNotContain("hot.listed");
        }
    }

    // ---- consuming the whole

    @Test
    void aBrowserIsShownOnePartAfterAnother() throws Exception {
        try (JMSContext context = broker.jms("jms.prefetchPolicy.all=7").createContext()) {
            JMSProducer producer = context.createProducer();
            List<String> groups = groupsOfEachPart(made("hot.browsed"), SHARDS);
            for (int i = 0; i < 40; i++) {
                int part = i % SHARDS;
                send(context, producer, "hot.browsed", groups.get(part), part + " " + i / SHARDS);
            }
            context.start();
            try (QueueBrowser browser = context.createBrowser(context.createQueue("hot.browsed"))) {
                List<String> shown = new ArrayList<>();
                for (Enumeration<?> all = browser.getEnumeration(); all.hasMoreElements(); ) {
                    shown.add(((Message) all.nextElement()).getBody(String.class));
                }
                assertThat(shown).hasSize(40).isSorted();
            }
        }
    }

    @Test
    void aSelectorFindsWhatMatchesInAllParts() {
        try (JMSContext context = broker.jms().createContext()) {
            Queue queue = context.createQueue("hot.selected");
            JMSProducer producer = context.createProducer();
            for (int i = 0; i < 40; i++) {
                producer.setProperty("JMSXGroupID", "key " + i)
                        .setProperty("wanted", i % 2 == 0)
                        .send(queue, "text " + i);
            }
            JMSConsumer selecting = context.createConsumer(queue, "wanted = TRUE");
            for (int i = 0; i < 20; i++) {
                assertThat(selecting.receiveBody(String.class, WAIT_MS)).isNotNull();
            }
            assertThat(selecting.receiveNoWait()).isNull();
            selecting.close();
            assertThat(receive(context, "hot.selected", 20)).hasSize(20);
        }
    }

    @Test
    void allPartsOfAnExclusiveQueueServeTheConsumerThatCameFirst() {
        try (JMSContext one = broker.jms().createContext();
                JMSContext other = broker.jms().createContext()) {
            Queue queue = one.createQueue("only.one");
            JMSConsumer first = one.createConsumer(queue);
            JMSConsumer second = other.createConsumer(queue);
            JMSProducer producer = one.createProducer();
            for (int i = 0; i < 20; i++) {
                send(one, producer, "only.one", "key " + i, "x");
                assertThat(first.receiveBody(String.class, WAIT_MS)).isEqualTo("x");
            }
            assertThat(second.receiveNoWait()).isNull();
            first.close();
            for (int i = 0; i < 20; i++) {
                send(one, producer, "only.one", "key " + i, "x");
                assertThat(second.receiveBody(String.class, WAIT_MS)).isEqualTo("x");
            }
        }
    }

    @Test
    void aDeadLetterGoesBackToThePartThatItCameFrom() throws Exception {
        int letters = 5;
        try (JMSContext context = broker.jms().createContext()) {
            JMSProducer producer = context.createProducer();
            for (int i = 0; i < letters; i++) {
                send(context, producer, "hot.dying", "key " + i, "x");
                Rejections.reject(broker, "hot.dying");
            }
        }
        Awaitility.await()
                .until(() -> owed("DLQ").stream().mapToInt(Integer::intValue).sum() == letters);
        int[] wanted = new int[SHARDS];
        IntStream.range(0, letters).forEach(i -> wanted[partOf("hot.dying", "key " + i)]++);
        assertThat(owed("DLQ")).as("each in the shard of its part").containsExactlyElementsOf(boxed(wanted));

        administrator.ask(202, "POST", "/jobs", "{'action': 'redrive', 'from': 'DLQ'}");
        Awaitility.await().untilAsserted(() -> assertThat(owed("hot.dying")).containsExactlyElementsOf(boxed(wanted)));
    }

    // ---- transactions

    @Test
    void aTransactionWithOneKeyPassesAndOneWithKeysOfTwoPartsIsRolledBack() {
        List<String> groups = groupsOfEachPart(made("hot.transacted"), 2);
        try (JMSContext transacted = broker.jms().createContext(JMSContext.SESSION_TRANSACTED)) {
            JMSProducer producer = transacted.createProducer();
            send(transacted, producer, "hot.transacted", groups.get(0), "one");
            send(transacted, producer, "hot.transacted", groups.get(0), "two");
            transacted.commit();
            send(transacted, producer, "hot.transacted", groups.get(0), "lost");
            send(transacted, producer, "hot.transacted", groups.get(1), "lost");
            assertThatThrownBy(transacted::commit)
                    .hasMessageContaining("RT-4523 queue 'hot.transacted' has parts")
                    .hasMessageContaining("Give its messages one group or x-opt-partition-key");
        }
        try (JMSContext context = broker.jms().createContext()) {
            assertThat(receive(context, "hot.transacted", 2)).containsExactly("one", "two");
        }
    }

    @Test
    void queuesOfOneAffinityWithAsManyPartsHaveAKeyInTheSameShard() {
        made("bank.debits");
        made("bank.credits");
        assertThat(shards("bank.credits")).hasSize(2).isEqualTo(shards("bank.debits"));
        try (JMSContext transacted = broker.jms().createContext(JMSContext.SESSION_TRANSACTED)) {
            JMSProducer producer = transacted.createProducer();
            for (int account = 0; account < 10; account++) {
                send(transacted, producer, "bank.debits", "account " + account, "debit");
                send(transacted, producer, "bank.credits", "account " + account, "credit");
                transacted.commit();
            }
        }
        assertThat(owed("bank.debits")).isEqualTo(owed("bank.credits"));
    }

    private static List<Integer> shards(String queue) {
        return parts(queue).all().stream()
                .map(Address::id)
                .map(ShardIds::shardOf)
                .toList();
    }

    // ---- policies

    @Test
    void aPolicySetsThePartsOfNewQueuesAndNeverThoseOfOthers() {
        assertThat(administrator.refused(400, "RT-4521", "PUT", "/policies/work.#", "{'parts': 5}"))
                .contains("parts=5: a shard has one part of an address, and the broker has 4 shards");
        administrator.refused(400, "RT-4521", "PUT", "/policies/work.#", "{'parts': 0}");
        made("work.old");
        assertThat(administrator.refused(400, "RT-4525", "PUT", "/policies/work.#", "{'parts': 2}"))
                .contains("queue 'work.old' has 1");
        administrator.delete("/addresses/work.old");
        administrator.make("/policies/work.#", "{'parts': 2}");
        assertThat(administrator
                        .get("/policies?filter=work")
                        .get("items")
                        .get(0)
                        .get("parts")
                        .asInt())
                .isEqualTo(2);

        made("work.new");
        assertThat(owed("work.new")).hasSize(2);
        administrator.refused(400, "RT-4525", "PUT", "/policies/work.#", "{'parts': 3}");
        administrator.change("/policies/work.#", "{'parts': 2, 'deliveriesMax': 3}");
        assertThat(administrator.refused(400, "RT-4528", "PUT", "/policies/other.#", "{'deadLetterQueue': 'work.new'}"))
                .contains("queue 'work.new' has 2 parts by its own policy");
        administrator.delete("/policies/work.#");
        assertThat(owed("work.new")).as("parts that are there stay").hasSize(2);
    }

    @Test
    void aPolicyGivesNoPartsToATopicThatIsThere() {
        administrator.make("/addresses/press.news", "{'kind': 'TOPIC'}");
        assertThat(administrator.refused(400, "RT-4525", "PUT", "/policies/press.#", "{'parts': 2}"))
                .contains("topic 'press.news' has 1");
    }

    @Test
    void anOperatorsMessageGoesToThePartOfItsGroupAndNoJobMovesAnyThere() {
        made("hot.sent");
        administrator.make("/addresses/plain", "{'kind': 'QUEUE'}");
        int[] wanted = new int[SHARDS];
        for (int i = 0; i < 8; i++) {
            administrator.ask(
                    200, "POST", "/addresses/hot.sent/messages", "{'properties': {'groupId': 'key " + i + "'}}");
            wanted[partOf("hot.sent", "key " + i)]++;
        }
        assertThat(owed("hot.sent")).containsExactlyElementsOf(boxed(wanted));
        administrator.refused(409, "RT-4530", "POST", "/jobs", "{'action': 'move', 'from': 'plain', 'to': 'hot.sent'}");
    }
}
