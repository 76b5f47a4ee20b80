package io.ringtable.broker.amqp;

import static io.ringtable.broker.amqp.TestCluster.ann;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ringtable.wire.RingtableSymbols;
import jakarta.jms.InvalidDestinationRuntimeException;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.JMSSecurityRuntimeException;
import jakarta.jms.TemporaryQueue;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Clients ask one node for what another one has, or has just made. Each node has a shard, so an address is made where
 * its first client asks for it.
 */
@Timeout(120)
class NamesElsewhereScenarioTest {
    private static final long WAIT_MS = 60_000;

    @AutoClose
    static TwoNodes nodes;

    static TestBroker one;
    static TestBroker two;

    @BeforeAll
    static void start() throws Exception {
        nodes = new TwoNodes(TestCluster.withUsers(TwoNodes.settings())
                .with(
                        "ringtable.topics", "known",
                        "ringtable.security.rules[1].match", "#",
                        "ringtable.security.rules[1].users", "bob",
                        "ringtable.security.rules[1].permissions", "send,receive,create"));
        one = nodes.owner;
        two = nodes.front;
        nodes.awaitKnown("known");
        nodes.awaitSeen();
    }

    /** Makes a topic in the shard of a node. */
    private static void makeTopic(JMSContext context, String topic) {
        context.createConsumer(context.createTopic(topic)).close();
    }

    private static String homes(String subscription) throws Exception {
        return DirectoryRows.ofSubscription(nodes.database, subscription);
    }

    // ---- subscriptions

    @Test
    void aSharedVolatileSubscriptionHasOneTopicInTheWholeCluster() throws Exception {
        try (JMSContext atOne = ann(one);
                JMSContext atTwo = ann(two)) {
            makeTopic(atOne, "volatile.one");
            makeTopic(atTwo, "volatile.two");
            assertThat(one.shardOf("volatile.one")).isZero();
            assertThat(two.shardOf("volatile.two")).isOne();
            JMSConsumer first = atOne.createSharedConsumer(atOne.createTopic("volatile.one"), "volatile");
            JMSConsumer second = atTwo.createSharedConsumer(atTwo.createTopic("volatile.one"), "volatile");
            assertThat(homes("volatile")).isEqualTo("0here");
            assertTopicIsRefused(two, "volatile.two");
            first.close();
            assertTopicIsRefused(one, "volatile.two");
            second.close();
            await().until(() -> homes("volatile") == null); // no client hears when that is
            JMSConsumer moved = atTwo.createSharedConsumer(atTwo.createTopic("volatile.two"), "volatile");
            assertThat(homes("volatile")).isEqualTo("1here");
            assertTopicIsRefused(one, "volatile.one");
            atOne.createProducer().send(atOne.createTopic("volatile.two"), "for it");
            assertThat(moved.receiveBody(String.class, WAIT_MS)).isEqualTo("for it");
            moved.close();
            await().untilAsserted(() -> assertThat(homes("volatile")).isNull());
        }
    }

    /** Asks on a connection of its own: a JMS client compares the subscriptions of one by itself. */
    private static void assertTopicIsRefused(TestBroker node, String topic) {
        try (JMSContext other = ann(node)) {
            assertThatThrownBy(() -> other.createSharedConsumer(other.createTopic(topic), "volatile"))
                    .isInstanceOf(JMSRuntimeException.class)
                    .hasMessageContaining("RT-2017 subscription 'volatile' has active consumers");
        }
    }

    @Test
    void aDurableSubscriptionFollowsItsTopicFromNodeToNode() throws Exception {
        try (JMSContext atOne = ann(one);
                JMSContext client = ann(two, "traveller")) {
            makeTopic(atOne, "travel.one");
            makeTopic(client, "travel.two");
            assertThat(one.shardOf("travel.one")).isZero();
            assertThat(two.shardOf("travel.two")).isOne();
            for (int i = 0; i < 2; i++) { // there and back: served by the client's node, and by the other one
                for (String topic : new String[] {"travel.one", "travel.two"}) {
                    JMSConsumer consumer = client.createDurableConsumer(client.createTopic(topic), "luggage");
                    atOne.createProducer().send(atOne.createTopic("travel.one"), "of one " + i);
                    atOne.createProducer().send(atOne.createTopic("travel.two"), "of two " + i);
                    assertThat(consumer.receiveBody(String.class, WAIT_MS))
                            .isEqualTo((topic.equals("travel.one") ? "of one " : "of two ") + i);
                    consumer.close();
                    atOne.createProducer().send(atOne.createTopic(topic), "owed, and gone with the change");
                    assertThat(homes("luggage")).isEqualTo(topic.equals("travel.one") ? "0here" : "1here");
                }
            }
            client.unsubscribe("luggage");
            assertThatThrownBy(() -> client.unsubscribe("luggage"))
                    .isInstanceOf(InvalidDestinationRuntimeException.class);
            assertThat(homes("luggage")).isNull();
        }
        assertThat(nodes.database.ask("SELECT count(*) FROM ringtable.subscription WHERE name = 'luggage'"))
                .isEqualTo("0");
    }

    /** The name lies at one node, the topic at the other, and the client is at either. */
    @Test
    void aSharedSubscriptionInUseStaysWhereItIs() throws Exception {
        try (JMSContext reading = ann(one);
                JMSContext atOne = ann(one);
                JMSContext atTwo = ann(two)) {
            makeTopic(atOne, "shared.one");
            makeTopic(atTwo, "shared.two");
            JMSConsumer reader = reading.createSharedDurableConsumer(reading.createTopic("shared.one"), "common");
            for (JMSContext context : new JMSContext[] {atOne, atTwo}) {
                assertThatThrownBy(
                                () -> context.createSharedDurableConsumer(context.createTopic("shared.two"), "common"))
                        .isInstanceOf(JMSRuntimeException.class)
                        .hasMessageContaining("RT-2017");
                assertThatThrownBy(() -> context.unsubscribe("common")).hasMessageContaining("RT-2018");
            }
            atTwo.createProducer().send(atTwo.createTopic("shared.one"), "still there");
            assertThat(reader.receiveBody(String.class, WAIT_MS)).isEqualTo("still there");
            reader.close();

            JMSConsumer moved = atTwo.createSharedDurableConsumer(atTwo.createTopic("shared.two"), "common");
            assertThatThrownBy(() -> atOne.createSharedDurableConsumer(atOne.createTopic("shared.one"), "common"))
                    .hasMessageContaining("RT-2017");
            moved.close();
            atOne.createSharedDurableConsumer(atOne.createTopic("shared.one"), "common", "n > 1")
                    .close();
            assertThat(homes("common")).isEqualTo("0here");
            JMSConsumer selects = atTwo.createSharedDurableConsumer(atTwo.createTopic("shared.one"), "common", "n > 2");
            for (int n = 1; n < 4; n++) {
                atOne.createProducer().setProperty("n", n).send(atOne.createTopic("shared.one"), "n is " + n);
            }
            assertThat(selects.receiveBody(String.class, WAIT_MS)).isEqualTo("n is 3");
            selects.close();
            atTwo.unsubscribe("common");
        }
    }

    @Test
    void sharingIsJudgedAcrossNodes() {
        try (JMSContext atOne = ann(one);
                JMSContext client = ann(two, "sharing")) {
            makeTopic(atOne, "sharing.one");
            client.createDurableConsumer(client.createTopic("known"), "alone").close();
            assertThatThrownBy(() -> client.createSharedDurableConsumer(client.createTopic("sharing.two"), "alone"))
                    .hasMessageContaining("RT-2016");
            client.createSharedDurableConsumer(client.createTopic("sharing.two"), "together")
                    .close();
            assertThatThrownBy(() -> client.createDurableConsumer(client.createTopic("sharing.one"), "together"))
                    .hasMessageContaining("RT-2016");
        }
    }

    @Test
    void nobodyTakesTheSubscriptionOfAnotherUserAway() throws Exception {
        try (JMSContext hers = ann(one);
                JMSContext bobs = two.jms("bob", "of bob").createContext()) {
            hers.createSharedDurableConsumer(hers.createTopic("known"), "hers").close();
            assertThatThrownBy(() -> bobs.createSharedDurableConsumer(bobs.createTopic("bobs"), "hers"))
                    .isInstanceOf(JMSSecurityRuntimeException.class)
                    .hasMessageContaining("RT-4352");
            assertThat(homes("hers")).isEqualTo("0here");
            hers.unsubscribe("hers");
            bobs.createSharedDurableConsumer(bobs.createTopic("bobs"), "hers").close();
            assertThat(homes("hers")).isEqualTo("1here");
        }
    }

    /** Each node has to hear at once that the other one has let the client id go. */
    @Test
    void aClientIdIsFreeAtOnceAfterItsLastSubscription() {
        for (int i = 0; i < 4; i++) {
            try (JMSContext hers = ann(i % 2 == 0 ? one : two, "free")) {
                hers.createDurableConsumer(hers.createTopic("free." + i), "last")
                        .close();
                hers.unsubscribe("last");
            }
            try (JMSContext bobs = (i % 2 == 0 ? two : one).jms("bob", "of bob").createContext()) {
                bobs.setClientID("free");
                bobs.createDurableConsumer(bobs.createTopic("bobs." + i), "last")
                        .close();
                bobs.unsubscribe("last");
            }
        }
    }

    // ---- deletions

    @Test
    void anAddressIsDeletedAtAnyNodeAsSoonAsItIsThere() throws Exception {
        for (int i = 0; i < 4; i++) {
            TestBroker maker = i % 2 == 0 ? one : two;
            TestBroker other = i % 2 == 0 ? two : one;
            String queue = "young." + i;
            try (JMSContext context = ann(maker)) {
                JMSConsumer consumer = context.createConsumer(context.createQueue(queue));
                assertThat(FrontPeer.delete(other, queue, RingtableSymbols.DELETE_IF_UNUSED))
                        .contains("RT-4069", "links: 1");
                consumer.close();
            }
            assertThat(FrontPeer.delete(other, queue, RingtableSymbols.DELETE_ALWAYS))
                    .isEmpty();
            assertThat(maker.shard().lookup().find(queue)).isNull();
            assertThat(FrontPeer.delete(other, queue, RingtableSymbols.DELETE_ALWAYS))
                    .startsWith("amqp:not-found RT-4067");
            assertThat(FrontPeer.delete(maker, queue, RingtableSymbols.DELETE_ALWAYS))
                    .contains("RT-4067");
            try (JMSContext context = ann(other)) {
                context.createProducer().send(context.createQueue(queue), "anew");
            }
            assertThat(other.shardOf(queue)).isEqualTo(1 - i % 2);
        }
    }

    // ---- kinds

    @Test
    void anAddressOfTheOtherKindIsRefusedAsAtItsOwner() throws Exception {
        try (JMSContext atOne = ann(one);
                JMSContext atTwo = ann(two)) {
            atOne.createProducer().send(atOne.createQueue("kind.queue"), "1");
            makeTopic(atOne, "kind.topic");
            for (JMSContext context : new JMSContext[] {atTwo, atOne}) {
                assertThatThrownBy(() -> context.createConsumer(context.createTopic("kind.queue")))
                        .hasMessageContaining("RT-2011 queue 'kind.queue' exists and is not a topic");
                assertThatThrownBy(() -> context.createConsumer(context.createQueue("kind.topic")))
                        .hasMessageContaining("RT-2011");
                assertThatThrownBy(() -> context.createProducer().send(context.createTopic("kind.queue"), "2"))
                        .hasMessageContaining("RT-2011");
            }
            // The other node knows the queue, and has not heard that it is a topic now.
            assertThat(FrontPeer.delete(one, "kind.queue", RingtableSymbols.DELETE_ALWAYS))
                    .isEmpty();
            makeTopic(atOne, "kind.queue");
            makeTopic(atTwo, "kind.queue");
        }
    }

    /** Nothing waits for another owner of it: the two attaches at the other node would do so for 22 s each. */
    @Test
    @Timeout(40)
    void aTemporaryQueueThatHasEndedIsUnknownByItsNameToo() throws Exception {
        try (JMSContext atOne = ann(one);
                JMSContext atTwo = ann(two)) {
            TemporaryQueue queue = atOne.createTemporaryQueue();
            String name = queue.getQueueName();
            queue.delete();
            for (JMSContext context : new JMSContext[] {atOne, atTwo}) {
                assertThatThrownBy(() -> context.createProducer().send(context.createQueue(name), "too late"))
                        .isInstanceOf(InvalidDestinationRuntimeException.class);
                assertThatThrownBy(() -> context.createConsumer(context.createQueue(name)))
                        .isInstanceOf(InvalidDestinationRuntimeException.class);
            }
        }
    }
}
