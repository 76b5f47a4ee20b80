package io.ringtable.broker.amqp;

import static io.ringtable.broker.amqp.TestCluster.ann;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSRuntimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A topic with parts in three shards of two nodes: one shard changes its owner, and clients of both act at once. */
@Timeout(180)
class SpreadTopicChangesScenarioTest {
    private static final long WAIT_MS = 60_000;
    private static final int MOVED = 2; // the shard
    private static final String TOPIC = "wide.news";
    /** Says all that a client may hear of which another one has been faster with the name. */
    private static final String REFUSALS = "(?s).*(RT-2017|RT-2018|RT-4059|RT-4610|RT-4656|RT-4601|RT-4067|RT-4537).*";

    @AutoClose
    static TestCluster cluster;

    static TestBroker a;
    static TestBroker b;

    @BeforeAll
    static void start() throws Exception {
        cluster = new TestCluster(TestCluster.withUsers(TestCluster.settings(3, "3s")
                .with("ringtable.dispatch.addresses[0].match", "wide.#", "ringtable.dispatch.addresses[0].parts", 3)));
        a = cluster.start("a", "0,2", "ringtable.topics", TOPIC);
        b = cluster.start("b", "1,2");
        cluster.awaitKnown(TOPIC, 3);
    }

    private static String stored(String subscription) throws Exception {
        return DirectoryRows.stored(cluster.database, "subscription", subscription);
    }

    private static String rows(String subscription) throws Exception {
        return DirectoryRows.ofSubscription(cluster.database, subscription);
    }

    /** Publishes on several links of each node, which take its parts in turn. */
    private static List<String> publish(String text) {
        List<String> all = new ArrayList<>();
        for (TestBroker node : List.of(a, b)) {
            for (int link = 0; link < 4; link++) {
                try (JMSContext context = ann(node)) {
                    all.add(text + " " + all.size());
                    context.createProducer().send(context.createTopic(TOPIC), all.get(all.size() - 1));
                }
            }
        }
        return all;
    }

    private static List<String> take(TestBroker node, String subscription, int count) {
        try (JMSContext context = ann(node)) {
            JMSConsumer consumer = context.createSharedDurableConsumer(context.createTopic(TOPIC), subscription);
            return TopicPartsScenario.take(count, consumer);
        }
    }

    @Test
    void aPartThatChangesItsNodeKeepsWhatItsSubscriptionsOwe() throws Exception {
        take(a, "moves", 0);
        assertThat(rows("moves")).isEqualTo("0here,1here,2here");
        for (boolean back : new boolean[] {false, true}) {
            TestBroker giver = back ? b : a;
            TestBroker taker = back ? a : b;
            List<String> all = publish("before");
            ShardMove.move(cluster.database, MOVED, giver, taker, "ann");
            cluster.awaitKnown(TOPIC, 3);
            assertThat(take(giver, "moves", all.size())).containsExactlyInAnyOrderElementsOf(all);
            List<String> later = publish("after");
            assertThat(take(taker, "moves", later.size())).containsExactlyInAnyOrderElementsOf(later);
        }
        assertThat(rows("moves")).isEqualTo("0here,1here,2here");
        try (JMSContext context = ann(b)) {
            context.unsubscribe("moves");
        }
        await().until(() -> rows("moves") == null);
        assertThat(stored("moves")).isEqualTo("0");
    }

    /** Each of four clients makes, changes and deletes one subscription. At rest all parts have it, or none. */
    @Test
    void clientsOfBothNodesAtOnceLeaveNoHalf() throws Exception {
        long seed = System.nanoTime();
        List<CompletableFuture<Void>> clients = new ArrayList<>();
        for (int number = 0; number < 4; number++) {
            TestBroker node = number % 2 == 0 ? a : b;
            Random random = new Random(seed + number);
            clients.add(CompletableFuture.runAsync(() -> actAtRandom(node, random)));
        }
        for (CompletableFuture<Void> client : clients) {
            client.get(WAIT_MS * 2, TimeUnit.MILLISECONDS);
        }
        await().until(() -> {
            String now = rows("at.random");
            return now == null || !now.contains("going");
        });
        assertThat(stored("at.random")).as("seed %s", seed).isEqualTo(rows("at.random") == null ? "0" : "3");
        assertThat(cluster.ask("SELECT count(DISTINCT coalesce(selector, '')) FROM ringtable.subscription"
                        + " WHERE name = 'at.random'"))
                .as("seed %s", seed)
                .isEqualTo(rows("at.random") == null ? "0" : "1");
        take(b, "at.random", 0); // whatever its selector was
        assertThat(rows("at.random")).isEqualTo("0here,1here,2here");
        assertThat(stored("at.random")).isEqualTo("3");
    }

    private static void actAtRandom(TestBroker node, Random random) {
        for (int step = 0; step < 6; step++) {
            try (JMSContext context = ann(node)) {
                int what = random.nextInt(4);
                if (what == 0) {
                    context.unsubscribe("at.random");
                } else {
                    context.createSharedDurableConsumer(
                                    context.createTopic(TOPIC), "at.random", what == 1 ? null : "n = " + what)
                            .close();
                }
            } catch (JMSRuntimeException refused) {
                assertThat(refused.getMessage()).matches(REFUSALS);
            }
        }
    }
}
