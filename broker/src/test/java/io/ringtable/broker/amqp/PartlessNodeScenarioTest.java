package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.CoreMatchers.nullValue;

import io.ringtable.broker.status.ShardStatus;
import jakarta.jms.Connection;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.Message;
import jakarta.jms.QueueBrowser;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.qpid.protonj2.test.driver.ProtonTestClient;
import org.apache.qpid.protonj2.test.driver.codec.messaging.TerminusDurability;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two of three nodes have the parts of addresses. Clients of the third one read them as those of the others do (ADR 74,
 * ADR 82).
 */
@Timeout(180)
class PartlessNodeScenarioTest {
    private static final long WAIT_MS = 60_000;
    private static final String TOPIC = "wide.news";

    static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = new TestCluster(TestCluster.settings(2, "4s")
                .with("ringtable.dispatch.addresses[0].match", "wide.#", "ringtable.dispatch.addresses[0].parts", 2));
        cluster.start("0", "0", "ringtable.topics", TOPIC).awaitOwned(0);
        cluster.start("1", "1").awaitOwned(1);
        cluster.start("2", "1");
        cluster.awaitKnown(TOPIC, 2);
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    /** Returns the node that has no shard. */
    private static TestBroker third() {
        return cluster.nodes().stream()
                .filter(node -> node.status().shards().stream().noneMatch(ShardStatus::isActive))
                .findFirst()
                .orElseThrow();
    }

    private static TestBroker owner(int shard) {
        return cluster.nodes().stream()
                .filter(node -> node.status().shards().get(shard).isActive())
                .findFirst()
                .orElseThrow();
    }

    private static JMSContext client(TestBroker node, String clientId) {
        JMSContext context = node.jms().createContext();
        context.setClientID(clientId);
        return context;
    }

    /** Publishes to both parts: each node with a part has links of its own part, a key has its own. */
    private static List<String> publish(JMSContext context, jakarta.jms.Destination to, String text, int count) {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(text + " " + i);
            context.createProducer()
                    .setProperty("JMSXGroupID", "key " + i)
                    .setProperty("n", i)
                    .send(to, text + " " + i);
        }
        return all;
    }

    private static List<String> take(JMSConsumer consumer, int count) {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(consumer.receiveBody(String.class, WAIT_MS));
        }
        return all;
    }

    private static String stored(String name) throws Exception {
        return cluster.ask("SELECT count(*) FROM ringtable.subscription WHERE name = '" + name + "'");
    }

    private static String rows(String subscription) throws Exception {
        return cluster.ask("SELECT string_agg(shard_id::text || state, ',' ORDER BY shard_id) FROM ringtable.home"
                + " WHERE scope = 'subscription' AND name LIKE '%|" + subscription + "'");
    }

    // ---- queues

    @Test
    void aConsumerAndABrowserGetWhatBothNodesHave() throws Exception {
        for (int prefetch : List.of(0, 1, 100)) {
            String queue = "wide.orders." + prefetch;
            try (JMSContext owner = owner(0).jms().createContext();
                    JMSContext context =
                            third().jms("jms.prefetchPolicy.all=" + prefetch).createContext()) {
                List<String> all = publish(owner, owner.createQueue(queue), "order", 12);
                cluster.awaitKnown(queue, 2);
                try (QueueBrowser browser = context.createBrowser(context.createQueue(queue))) {
                    List<String> seen = new ArrayList<>();
                    for (Enumeration<?> next = browser.getEnumeration(); next.hasMoreElements(); ) {
                        seen.add(((Message) next.nextElement()).getBody(String.class));
                    }
                    assertThat(seen).containsExactlyInAnyOrderElementsOf(all);
                }
                JMSConsumer consumer = context.createConsumer(context.createQueue(queue));
                assertThat(take(consumer, 12)).containsExactlyInAnyOrderElementsOf(all);
                assertThat(consumer.receive(100)).isNull();
                assertThat(consumer.receiveNoWait()).isNull();
                List<String> more = publish(context, context.createQueue(queue), "published here", 12);
                assertThat(take(consumer, 12)).containsExactlyInAnyOrderElementsOf(more);
                consumer.close();
                assertThat(owner.createConsumer(owner.createQueue(queue)).receiveNoWait())
                        .as("all was settled")
                        .isNull();
            }
        }
    }

    @Test
    void whatASelectorLeavesOrARollbackGivesBackComesAgain() {
        try (JMSContext context = third().jms().createContext();
                JMSContext transacted = third().jms().createContext(JMSContext.SESSION_TRANSACTED)) {
            List<String> all = publish(context, context.createQueue("wide.chosen"), "choice", 8);
            cluster.awaitKnown("wide.chosen", 2);
            JMSConsumer some = transacted.createConsumer(transacted.createQueue("wide.chosen"), "n < 1");
            assertThat(take(some, 1)).containsExactly(all.get(0));
            transacted.rollback();
            assertThat(take(some, 1)).containsExactly(all.get(0));
            transacted.commit();
            some.close();
            JMSConsumer rest = context.createConsumer(context.createQueue("wide.chosen"));
            assertThat(take(rest, 7)).containsExactlyInAnyOrderElementsOf(all.subList(1, 8));
        }
    }

    // ---- topics

    @Test
    void plainAndSharedConsumersGetWhatBothNodesHave() throws Exception {
        try (JMSContext context = third().jms().createContext();
                JMSContext owner = owner(1).jms().createContext()) {
            JMSConsumer plain = context.createConsumer(context.createTopic(TOPIC));
            JMSConsumer chosen = context.createConsumer(context.createTopic(TOPIC), "n = 3");
            JMSConsumer here = context.createSharedConsumer(context.createTopic(TOPIC), "common");
            JMSConsumer there = owner.createSharedConsumer(owner.createTopic(TOPIC), "common");
            List<String> all = publish(context, context.createTopic(TOPIC), "news", 10);
            assertThat(take(plain, 10)).containsExactlyInAnyOrderElementsOf(all);
            assertThat(take(chosen, 1)).containsExactly(all.get(3));
            List<String> come = new ArrayList<>();
            while (come.size() < all.size()) {
                for (JMSConsumer each : List.of(here, there)) {
                    String next = each.receiveBody(String.class, 100);
                    if (next != null) {
                        come.add(next);
                    }
                }
            }
            assertThat(come).containsExactlyInAnyOrderElementsOf(all);
            here.close();
            there.close();
            await().until(() -> rows("common") == null);
        }
    }

    @Test
    void aDurableSubscriptionIsMadeReadChangedAndEnded() throws Exception {
        for (TestBroker reader : List.of(third(), owner(0))) {
            List<String> all;
            try (JMSContext context = client(third(), "lasting")) {
                context.createDurableConsumer(context.createTopic(TOPIC), "lasting")
                        .close();
                assertThat(stored("lasting")).isEqualTo("2");
                assertThat(rows("lasting")).isEqualTo("0here,1here");
                all = publish(context, context.createTopic(TOPIC), "owed", 10);
            }
            try (JMSContext context = client(reader, "lasting")) {
                JMSConsumer consumer = context.createDurableConsumer(context.createTopic(TOPIC), "lasting");
                assertThat(take(consumer, 10)).containsExactlyInAnyOrderElementsOf(all);
                assertThatThrownBy(() -> context.unsubscribe("lasting"));
                consumer.close();
            }
            try (JMSContext context = client(third(), "lasting")) {
                JMSConsumer consumer =
                        context.createDurableConsumer(context.createTopic(TOPIC), "lasting", "n = 2", false);
                List<String> chosen = publish(context, context.createTopic(TOPIC), "chosen", 5);
                assertThat(take(consumer, 1)).containsExactly(chosen.get(2));
                consumer.close();
                context.unsubscribe("lasting");
                await().until(() -> rows("lasting") == null);
                assertThat(stored("lasting")).isEqualTo("0");
            }
        }
    }

    @Test
    void aSharedDurableSubscriptionOfBothWaysIsRefusedToOthersWhileItIsRead() throws Exception {
        try (JMSContext context = third().jms().createContext();
                JMSContext other = third().jms().createContext();
                JMSContext owner = owner(0).jms().createContext()) {
            JMSConsumer one = context.createSharedDurableConsumer(context.createTopic(TOPIC), "kept");
            JMSConsumer two = owner.createSharedDurableConsumer(owner.createTopic(TOPIC), "kept");
            assertThatThrownBy(() -> other.createSharedDurableConsumer(other.createTopic(TOPIC), "kept", "n > 1"))
                    .hasMessageContaining("RT-2017");
            assertThatThrownBy(() -> other.unsubscribe("kept")).hasMessageContaining("RT-2018");
            assertThat(rows("kept")).isEqualTo("0here,1here");
            List<String> all = publish(owner, owner.createTopic(TOPIC), "of both", 6);
            List<String> come = new ArrayList<>();
            while (come.size() < all.size()) {
                for (JMSConsumer each : List.of(one, two)) {
                    String next = each.receiveBody(String.class, 100);
                    if (next != null) {
                        come.add(next);
                    }
                }
            }
            assertThat(come).containsExactlyInAnyOrderElementsOf(all);
            two.close();
            assertThatThrownBy(() -> other.unsubscribe("kept")).hasMessageContaining("RT-2018");
            one.close();
            owner.unsubscribe("kept");
            await().until(() -> rows("kept") == null);
        }
    }

    /** AMQP 1.0 section 2.6.6: a link that is closed, not detached, ends its terminus. */
    @Test
    void aClosedLinkEndsItsDurableSubscription() throws Exception {
        try (ProtonTestClient peer = FramePeer.open(third(), "closes")) {
            peer.expectAttach().ofSender().withSource().withAddress(TOPIC);
            peer.remoteAttach()
                    .ofReceiver()
                    .withName("kept until closed")
                    .withHandle(0)
                    .withSource()
                    .withAddress(TOPIC)
                    .withCapabilities("topic")
                    .withDurability(TerminusDurability.UNSETTLED_STATE)
                    .and()
                    .withTarget()
                    .withAddress("me")
                    .and()
                    .now();
            FramePeer.done(peer);
            assertThat(stored("kept until closed")).isEqualTo("2");
            peer.expectDetach().withHandle(0).withClosed(true).withError(nullValue());
            peer.remoteDetach().withHandle(0).withClosed(true).now();
            FramePeer.done(peer);
            await().until(() -> rows("kept until closed") == null);
            assertThat(stored("kept until closed")).isEqualTo("0");
        }
    }

    // ---- nodes that go

    /** The third node takes the shard of one that stops: its clients' next links read that part as well. */
    @Test
    void aNodeThatGetsAPartHasItsClientsConnectAgain() throws Exception {
        TestBroker taker = third();
        String leaver = cluster.node("1") == taker ? "2" : "1";
        try (JMSContext owner = owner(0).jms().createContext()) {
            publish(owner, owner.createQueue("wide.moves"), "before", 6);
        }
        cluster.awaitKnown("wide.moves", 2);
        CompletableFuture<Throwable> lost = new CompletableFuture<>();
        Connection connection = taker.jms().createConnection();
        try {
            connection.setExceptionListener(lost::complete);
            connection.createSession().createConsumer(connection.createSession().createQueue("wide.moves"));
            connection.start();
            cluster.stop(leaver);
            await().until(() -> taker.status().shards().get(1).isActive());
            assertThat(lost.get()).hasMessageContaining("RT-");
        } finally {
            connection.close();
        }
        try (JMSContext context = taker.jms().createContext()) {
            assertThat(take(context.createConsumer(context.createQueue("wide.moves")), 6))
                    .hasSize(6)
                    .doesNotContainNull();
        }
        cluster.start(leaver, "1"); // the others have the shards now
        cluster.awaitKnown(TOPIC, 2);
    }
}
