package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSProducer;
import jakarta.jms.Topic;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.qpid.protonj2.test.driver.ProtonTestClient;
import org.apache.qpid.protonj2.test.driver.codec.primitives.Binary;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** The consumers of a topic with parts get each message once, and each group in order. */
@Timeout(180)
class TopicPartsScenarioTest extends TopicPartsScenario {
    @Test
    void everySubscriptionGetsEachMessageOnceAndEachGroupInOrder() {
        try (JMSContext client = broker.jms("jms.clientID=reads-all").createContext();
                JMSContext other = broker.jms().createContext()) {
            Topic topic = client.createTopic("hot.rates");
            JMSConsumer plain = client.createConsumer(topic);
            JMSConsumer selecting = client.createConsumer(topic, "n >= 5");
            JMSConsumer durable = client.createDurableConsumer(topic, "durable");
            JMSConsumer shared = other.createSharedConsumer(topic, "shared");
            JMSConsumer sharedToo = other.createSharedConsumer(topic, "shared");
            JMSConsumer kept = other.createSharedDurableConsumer(topic, "kept");
            JMSConsumer keptToo = other.createSharedDurableConsumer(topic, "kept");

            publish("hot.rates");

            int all = GROUPS * OF_EACH;
            requireOrder(take(all, plain), 0, OF_EACH);
            requireOrder(take(all / 2, selecting), 5, OF_EACH);
            requireOrder(take(all, durable), 0, OF_EACH);
            requireOrder(take(all, shared, sharedToo), 0, OF_EACH);
            requireOrder(take(all, kept, keptToo), 0, OF_EACH);
            Awaitility.await().untilAsserted(() -> assertThat(owed("hot.rates")).containsOnly(0));
        }
    }

    @Test
    void theConsumersOfASharedSubscriptionShareTheMessagesOfEachPart() {
        try (JMSContext one = broker.jms("jms.prefetchPolicy.all=1").createContext();
                JMSContext other = broker.jms("jms.prefetchPolicy.all=1").createContext()) {
            Topic topic = one.createTopic("hot.shared");
            JMSConsumer first = one.createSharedDurableConsumer(topic, "both");
            JMSConsumer second = other.createSharedDurableConsumer(topic, "both");
            JMSProducer producer = one.createProducer();
            for (int i = 0; i < 40; i++) { // without a group: all go to the part of the link
                producer.send(topic, "text " + i);
            }
            List<String> ofFirst = new ArrayList<>();
            List<String> ofSecond = new ArrayList<>();
            ofFirst.add(first.receiveBody(String.class, WAIT_MS)); // each takes one while the other waits
            ofSecond.add(second.receiveBody(String.class, WAIT_MS));
            assertThat(ofFirst).doesNotContainNull();
            assertThat(ofSecond).doesNotContainNull();
            List<String> all = new ArrayList<>(take(38, first, second));
            all.addAll(ofFirst);
            all.addAll(ofSecond);
            assertThat(all).hasSize(40).doesNotHaveDuplicates();
        }
    }

    @Test
    void aConsumerOfItsOwnMessagesAsksForOthersAlone() {
        try (JMSContext client = broker.jms("jms.clientID=no-local").createContext()) {
            Topic topic = client.createTopic("hot.local");
            JMSConsumer ofOthers = client.createConsumer(topic, null, true);
            JMSConsumer durable = client.createDurableConsumer(topic, "others", null, true);
            publish(client, "hot.local");
            publish("hot.local");
            requireOrder(take(GROUPS * OF_EACH, ofOthers), 0, OF_EACH);
            requireOrder(take(GROUPS * OF_EACH, durable), 0, OF_EACH);
        }
    }

    /** Each shard numbers what it keeps in memory, and the tags of a link are unique. */
    @Test
    void theDeliveriesOfOneLinkHaveTagsOfTheirOwn() throws Exception {
        List<String> tags = new ArrayList<>();
        try (ProtonTestClient peer = FramePeer.open(broker, "tags")) {
            peer.expectAttach().ofSender();
            peer.remoteAttach()
                    .ofReceiver()
                    .withName("reader")
                    .withHandle(0)
                    .withSource()
                    .withAddress("topic://hot.tags")
                    .and()
                    .withTarget()
                    .withAddress("me")
                    .and()
                    .now();
            FramePeer.done(peer);
            List<String> groups = groupsOfEachPart("hot.tags", SHARDS);
            peer.remoteFlow()
                    .withHandle(0)
                    .withDeliveryCount(0)
                    .withLinkCredit(100)
                    .withNextIncomingId(0)
                    .withIncomingWindow(1_000)
                    .withNextOutgoingId(0)
                    .withOutgoingWindow(1_000)
                    .now();
            for (int i = 0; i < SHARDS; i++) {
                peer.expectTransfer().withCapture(transfer -> tags.add(text(transfer.getDeliveryTag())));
            }
            try (JMSContext context = broker.jms().createContext()) {
                JMSProducer producer = context.createProducer();
                for (String group : groups) {
                    producer.setProperty("JMSXGroupID", group).send(context.createTopic("hot.tags"), "x");
                }
            }
            FramePeer.done(peer);
        }
        assertThat(tags).doesNotHaveDuplicates();
        assertThat(tags.stream().filter(tag -> tag.matches("-?\\d+")))
                .as("of the link's own shard, among %s", tags)
                .hasSize(1);
        assertThat(tags.stream()
                        .filter(tag -> tag.matches("-?\\d+\\.\\d"))
                        .map(tag -> tag.substring(tag.indexOf('.')))
                        .distinct())
                .as("of the other shards, among %s", tags)
                .hasSize(SHARDS - 1);
    }

    private static String text(Binary tag) {
        return new String(tag.arrayCopy(), StandardCharsets.US_ASCII);
    }

    @Test
    void aSubscriptionThatBeginsInThePastGetsWhatEachPartHasKept() {
        try (JMSContext client = broker.jms("jms.clientID=late").createContext()) {
            publish("kept.rates");
            // The oldest one is known a moment after its publisher has its outcome.
            Awaitility.await().untilAsserted(() -> {
                JsonNode retained = administrator.get("/addresses/kept.rates").get("retained");
                assertThat(retained.get("messages").asInt()).isEqualTo(GROUPS * OF_EACH);
                assertThat(retained.hasNonNull("oldestAt")).isTrue();
            });
            JMSConsumer late =
                    client.createDurableConsumer(client.createTopic("kept.rates?since=1970-01-01T00:00:00Z"), "late");
            requireOrder(take(GROUPS * OF_EACH, late), 0, OF_EACH);
            publish("kept.rates");
            requireOrder(take(GROUPS * OF_EACH, late), 0, OF_EACH);
            assertThat(administrator.refused(409, "RT-2030", "DELETE", "/addresses/kept.rates", null))
                    .contains("in use");
        }
    }
}
