package io.ringtable.broker.amqp;

import static io.ringtable.broker.amqp.TestCluster.ann;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.message.Address;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSRuntimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Topics have parts at two nodes (ADR 82). A subscription is in the parts of both or in none, and its consumers get
 * what both have, at whichever node they read. Each publisher publishes to the part of its own node.
 */
@Timeout(180)
class SpreadTopicScenarioTest {
    private static final long WAIT_MS = 60_000;

    @AutoClose
    static TwoNodes nodes;

    @BeforeAll
    static void start() throws Exception {
        nodes = new TwoNodes(TestCluster.withUsers(TwoNodes.settings()
                .with(
                        "ringtable.lease", "3s", // what nodes do for each other takes several looks
                        "ringtable.topics", "wide.news,single",
                        "ringtable.dispatch.addresses[0].match", "wide.#",
                        "ringtable.dispatch.addresses[0].parts", 2,
                        "ringtable.dispatch.addresses[0].retention-bytes", "1MB")));
        nodes.awaitKnown("single");
        nodes.awaitKnown("wide.news", 2);
    }

    private static String stored(String table, String name) throws Exception {
        return DirectoryRows.stored(nodes.database, table, name);
    }

    private static String rows(String subscription) throws Exception {
        return DirectoryRows.ofSubscription(nodes.database, subscription);
    }

    /** Publishes at each node, to the part that it has. */
    private static List<String> publish(String text) {
        return publish("wide.news", text, 1);
    }

    private static List<String> publish(String topic, String text, int n) {
        List<String> all = new ArrayList<>();
        for (TestBroker node : nodes.both()) {
            try (JMSContext context = ann(node)) {
                all.add(text + (node == nodes.owner ? " of owner" : " of front"));
                context.createProducer().setProperty("n", n).send(context.createTopic(topic), all.get(all.size() - 1));
            }
        }
        return all;
    }

    private static List<String> take(JMSConsumer consumer, int count) {
        return TopicPartsScenario.take(count, consumer);
    }

    // ---- kinds of subscriptions

    @Test
    void aPlainConsumerGetsWhatBothNodesHave() {
        for (TestBroker node : nodes.both()) {
            try (JMSContext context = ann(node)) {
                JMSConsumer all = context.createConsumer(context.createTopic("wide.news"));
                JMSConsumer some = context.createConsumer(context.createTopic("wide.news"), "n > 1");
                List<String> first = publish("wide.news", "one", 1);
                List<String> second = publish("wide.news", "two", 2);
                assertThat(take(some, 2)).containsExactlyInAnyOrderElementsOf(second);
                first.addAll(second);
                assertThat(take(all, 4)).containsExactlyInAnyOrderElementsOf(first);
            }
        }
    }

    @Test
    void aDurableSubscriptionIsReadAndEndedAtEitherNode() throws Exception {
        for (TestBroker node : nodes.both()) {
            try (JMSContext here = ann(node, "durable")) {
                here.createDurableConsumer(here.createTopic("wide.news"), "lasting")
                        .close();
                assertThat(stored("subscription", "lasting")).isEqualTo("2");
                assertThat(rows("lasting")).isEqualTo("0here,1here");
            }
            List<String> all = publish("owed");
            try (JMSContext there = ann(nodes.other(node), "durable")) {
                JMSConsumer consumer = there.createDurableConsumer(there.createTopic("wide.news"), "lasting");
                assertThat(take(consumer, 2)).containsExactlyInAnyOrderElementsOf(all);
                List<String> more = publish("live");
                assertThat(take(consumer, 2)).containsExactlyInAnyOrderElementsOf(more);
                assertThatThrownBy(() -> there.unsubscribe("lasting"));
                consumer.close();
                there.unsubscribe("lasting");
                await().until(() -> rows("lasting") == null);
                assertThat(stored("subscription", "lasting")).isEqualTo("0");
                assertThatThrownBy(() -> there.unsubscribe("lasting")).hasMessageContaining("RT-4059");
            }
        }
    }

    @Test
    void consumersOfASharedSubscriptionAtBothNodesGetEachMessageOnce() throws Exception {
        try (JMSContext atOwner = ann(nodes.owner);
                JMSContext atFront = ann(nodes.front);
                JMSContext third = ann(nodes.front)) {
            JMSConsumer one = atOwner.createSharedDurableConsumer(atOwner.createTopic("wide.news"), "common");
            JMSConsumer two = atFront.createSharedDurableConsumer(atFront.createTopic("wide.news"), "common");
            List<String> all = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                all.addAll(publish("no. " + i));
            }
            assertThat(TopicPartsScenario.take(all.size(), one, two)).containsExactlyInAnyOrderElementsOf(all);
            assertThatThrownBy(
                            () -> third.createSharedDurableConsumer(third.createTopic("wide.news"), "common", "n > 1"))
                    .isInstanceOf(JMSRuntimeException.class)
                    .hasMessageContaining("RT-2017");
            assertThatThrownBy(() -> third.unsubscribe("common")).hasMessageContaining("RT-2018");
            assertThat(rows("common")).isEqualTo("0here,1here");
            one.close();
            two.close();
            third.unsubscribe("common");
            await().until(() -> rows("common") == null);
        }
    }

    @Test
    void aSharedVolatileSubscriptionIsOneOfBothNodes() throws Exception {
        try (JMSContext atOwner = ann(nodes.owner);
                JMSContext atFront = ann(nodes.front);
                JMSContext third = ann(nodes.front)) {
            JMSConsumer one = atOwner.createSharedConsumer(atOwner.createTopic("wide.news"), "passing");
            JMSConsumer two = atFront.createSharedConsumer(atFront.createTopic("wide.news"), "passing");
            List<String> all = publish("for one of them");
            assertThat(TopicPartsScenario.take(all.size(), one, two)).containsExactlyInAnyOrderElementsOf(all);
            assertThatThrownBy(() -> third.createSharedConsumer(third.createTopic("single"), "passing"))
                    .hasMessageContaining("RT-2017");
            one.close();
            two.close();
            await().until(() -> rows("passing") == null);
        }
    }

    // ---- changes

    @Test
    void anotherSelectorCountsInThePartsOfBothNodes() throws Exception {
        try (JMSContext atOwner = ann(nodes.owner, "chooser")) {
            atOwner.createDurableConsumer(atOwner.createTopic("wide.news"), "choice", "n = 1", false)
                    .close();
        }
        publish("wide.news", "gone with the change", 1);
        try (JMSContext atFront = ann(nodes.front, "chooser")) {
            JMSConsumer consumer =
                    atFront.createDurableConsumer(atFront.createTopic("wide.news"), "choice", "n = 2", false);
            publish("wide.news", "not chosen", 1);
            List<String> chosen = publish("wide.news", "chosen", 2);
            assertThat(take(consumer, 2)).containsExactlyInAnyOrderElementsOf(chosen);
            consumer.close();
            assertThat(rows("choice")).isEqualTo("0here,1here");
            atFront.unsubscribe("choice");
        }
    }

    @Test
    void aSubscriptionGoesToATopicOfOneNodeAndBack() throws Exception {
        for (TestBroker node : nodes.both()) {
            try (JMSContext client = ann(node, "traveller")) {
                client.createDurableConsumer(client.createTopic("wide.news"), "luggage")
                        .close();
                JMSConsumer single = client.createDurableConsumer(client.createTopic("single"), "luggage");
                assertThat(rows("luggage")).isEqualTo("0here");
                client.createProducer().send(client.createTopic("single"), "of one");
                assertThat(single.receiveBody(String.class, WAIT_MS)).isEqualTo("of one");
                single.close();
                JMSConsumer back = client.createDurableConsumer(client.createTopic("wide.news"), "luggage");
                List<String> all = publish("of two");
                assertThat(take(back, 2)).containsExactlyInAnyOrderElementsOf(all);
                back.close();
                assertThat(rows("luggage")).isEqualTo("0here,1here");
                client.unsubscribe("luggage");
            }
        }
    }

    /** The other node has just made it, and this one has yet to make its own part. */
    @Test
    void aYoungTopicHasAllItsPartsAtOnce() {
        for (int i = 0; i < 6; i++) {
            TestBroker maker = i % 2 == 0 ? nodes.owner : nodes.front;
            String topic = "wide.young." + i;
            try (JMSContext here = ann(maker);
                    JMSContext there = ann(nodes.other(maker))) {
                here.createProducer().send(here.createTopic(topic), "nobody hears it");
                JMSConsumer consumer = there.createConsumer(there.createTopic(topic));
                List<String> all = publish(topic, "heard", 1);
                assertThat(take(consumer, 2)).containsExactlyInAnyOrderElementsOf(all);
            }
        }
    }

    @Test
    void whatBothNodesHaveKeptComesAgain() throws Exception {
        List<String> all = publish("wide.kept", "kept", 1);
        await().until(() -> stored("address", "wide.kept"), "2"::equals);
        try (JMSContext client = ann(nodes.front, "replays")) {
            JMSConsumer consumer =
                    client.createDurableConsumer(client.createTopic("wide.kept?since=2020-01-01T00:00:00Z"), "past");
            assertThat(take(consumer, 2)).containsExactlyInAnyOrderElementsOf(all);
            consumer.close();
            client.unsubscribe("past");
        }
    }

    // ---- a node that is not there, and one that has gone

    @Test
    void whatEndsWhileAPartHasNoNodeIsDeletedWhenOneComes() throws Exception {
        try (JMSContext client = ann(nodes.front, "waits")) {
            client.createDurableConsumer(client.createTopic("wide.news"), "before")
                    .close();
        }
        try (JMSContext client = ann(nodes.front, "leaves")) {
            client.createDurableConsumer(client.createTopic("wide.news"), "unwanted")
                    .close();
        }
        nodes.stopOwner();
        try (JMSContext client = ann(nodes.front, "leaves")) {
            client.unsubscribe("unwanted");
        }
        assertThat(rows("unwanted")).isEqualTo("0going");
        assertThat(stored("subscription", "unwanted")).isEqualTo("1");
        nodes.startOwner();
        await().until(() -> rows("unwanted") == null);
        assertThat(stored("subscription", "unwanted")).isEqualTo("0");
        nodes.awaitKnown("wide.news", 2);
        List<String> all = publish("later");
        try (JMSContext client = ann(nodes.front, "waits")) {
            JMSConsumer consumer = client.createDurableConsumer(client.createTopic("wide.news"), "before");
            assertThat(take(consumer, 2)).containsExactlyInAnyOrderElementsOf(all);
            consumer.close();
            client.unsubscribe("before");
        }
    }

    /** A node has died after it had marked the name: nobody was told of what the parts have. */
    @Test
    void aMarkOfANodeThatHasGoneIsNoSubscription() throws Exception {
        try (JMSContext client = ann(nodes.front, "marked")) {
            client.createDurableConsumer(client.createTopic("wide.news"), "left")
                    .close();
        }
        publish("nobody gets it");
        DirectoryRows.markSubscription(nodes.database, "left", "//making it");
        await().until(() -> rows("left") == null);
        assertThat(stored("subscription", "left")).isEqualTo("0");
        try (JMSContext client = ann(nodes.owner, "marked")) {
            JMSConsumer consumer = client.createDurableConsumer(client.createTopic("wide.news"), "left");
            List<String> all = publish("anew");
            assertThat(take(consumer, 2)).containsExactlyInAnyOrderElementsOf(all);
            consumer.close();
            client.unsubscribe("left");
        }
    }

    @Test
    void aNodeThatRefusesLeavesNothing() throws Exception {
        Address atOwner = partOf(nodes.owner);
        try (JMSContext client = ann(nodes.front, "refused")) {
            client.createDurableConsumer(client.createTopic("wide.news"), "chosen", "n = 1", false)
                    .close();
            atOwner.quota().goes();
            for (String name : List.of("new", "chosen")) { // with another selector, which this node has taken already
                assertThatThrownBy(() -> client.createDurableConsumer(client.createTopic("wide.news"), name))
                        .hasMessageContaining("RT-4613");
            }
            assertThatThrownBy(() -> client.createSharedDurableConsumer(client.createTopic("wide.news"), "common"))
                    .hasMessageContaining("RT-4613");
        } finally {
            atOwner.quota().stays();
        }
        for (String name : List.of("new", "chosen", "common")) {
            await().until(() -> rows(name) == null);
            assertThat(stored("subscription", name)).isEqualTo("0");
        }
    }

    private static Address partOf(TestBroker node) {
        return node.shard().homesOf(node.shard().lookup().find("wide.news")).stream()
                .filter(home -> home.elsewhere() == null)
                .map(home -> home.lookup().find("wide.news"))
                .findFirst()
                .orElseThrow();
    }

    /** A node was frozen while it made a subscription, and others have given that up. */
    @Test
    void aMakerThatComesTooLateMakesNothing() throws Exception {
        CompletionStage<Subscription> made = nodes.front
                .shard()
                .catalogWith(() -> {
                    DirectoryRows.markSubscription(nodes.database, "late", "//deleted");
                    return nodes.front.shard().refresh();
                })
                .subscribe(partOf(nodes.front), "frozen", "late", null, false, false);
        assertThatThrownBy(() -> made.toCompletableFuture().join()).hasMessageContaining("RT-4656");
        await().until(() -> rows("late") == null);
        assertThat(stored("subscription", "late")).isEqualTo("0");
    }
}
