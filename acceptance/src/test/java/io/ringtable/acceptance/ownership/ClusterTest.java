package io.ringtable.acceptance.ownership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.Engine;
import io.ringtable.acceptance.harness.Jms;
import io.ringtable.acceptance.harness.ServerDatabase;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two brokers share the shards of one database, through a kill, a pause and an orderly stop of one of them. */
class ClusterTest {
    private static final int SHARDS = 4;
    private static final int MESSAGES = 20;
    private static final String AFTER_PAUSE = "after the pause";
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    /** Less than the idle time-out of clients, after which any connection to a silent node ends by itself. */
    private static final Duration LESS_THAN_IDLE = Duration.ofSeconds(40);

    private static final Duration LOOK = Duration.ofMillis(200); // each asks a broker
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<String> QUEUES =
            IntStream.range(0, SHARDS).mapToObj(i -> "orders." + i).toList(); // one in each shard

    @RegisterExtension
    final Bench bench = new Bench();

    @ParameterizedTest
    @EnumSource(value = Engine.class, mode = EnumSource.Mode.EXCLUDE, names = "SQLITE")
    void theOtherServesWhatAKilledOneAPausedOneAndAStoppedOneHadStored(Engine engine) throws Exception {
        ServerDatabase database = engine.database(bench);
        BrokerProcess first = on(database).start();
        for (String queue : QUEUES) {
            Jms.send(first.amqpUrl(), queue, MESSAGES);
        }
        BrokerProcess second = on(database).start();
        awaitShares(first, second);

        first.kill();
        awaitAll(second);
        for (String queue : QUEUES) {
            assertThat(Jms.receive(second.amqpUrl(), queue, MESSAGES)).isEqualTo(Jms.bodies(MESSAGES));
            Jms.send(second.amqpUrl(), queue, MESSAGES);
        }

        first.start();
        awaitShares(second, first);
        try (Connection open = Jms.factory(first.amqpUrl()).createConnection()) {
            CompletableFuture<JMSException> closed = new CompletableFuture<>();
            open.setExceptionListener(closed::complete);
            Session session = open.createSession();
            List<MessageProducer> producers = new ArrayList<>();
            for (String queue : QUEUES) { // half of them by a relay to the other node
                producers.add(session.createProducer(session.createQueue(queue)));
            }
            second.pause();
            awaitAll(first);
            // The first one does not wait for a node that stands still: links that it carried there are its own then.
            await().atMost(LESS_THAN_IDLE).pollInterval(LOOK).until(() -> carriesNoLink(first));
            assertThat(CompletableFuture.runAsync(() -> sendAfterPause(session, producers)))
                    .succeedsWithin(LESS_THAN_IDLE);
            assertThat(closed).isNotDone();
        }
        second.resume();
        awaitShares(first, second);

        second.stop();
        awaitAll(first);
        List<String> bodies = new ArrayList<>(Jms.bodies(MESSAGES));
        bodies.add(AFTER_PAUSE);
        for (String queue : QUEUES) {
            assertThat(Jms.receive(first.amqpUrl(), queue, MESSAGES + 1)).isEqualTo(bodies);
        }
    }

    private static boolean carriesNoLink(BrokerProcess broker) {
        return broker.metric("ringtable_relayed_links") == 0;
    }

    private static void sendAfterPause(Session session, List<MessageProducer> producers) {
        try {
            for (MessageProducer producer : producers) {
                producer.send(session.createTextMessage(AFTER_PAUSE));
            }
        } catch (JMSException e) {
            throw new IllegalStateException(e);
        }
    }

    private BrokerProcess on(ServerDatabase database) {
        return bench.broker(settings -> settings.store(database)
                .with("ringtable.lease", "3s")
                .with("ringtable.shards", SHARDS)
                .with("ringtable.cluster.enabled", true));
    }

    /** Until both say that each of them has half of the shards. */
    private static void awaitShares(BrokerProcess one, BrokerProcess other) {
        Map<String, Integer> half = Map.of(one.amqpUrl(), SHARDS / 2, other.amqpUrl(), SHARDS / 2);
        for (BrokerProcess asked : List.of(one, other)) {
            await().atMost(PATIENCE).pollInterval(LOOK).until(() -> served(asked), half::equals);
        }
        await().atMost(PATIENCE).pollInterval(LOOK).until(() -> one.isReady() && other.isReady());
    }

    private static void awaitAll(BrokerProcess only) {
        await().atMost(PATIENCE).pollInterval(LOOK).until(() -> served(only), Map.of(only.amqpUrl(), SHARDS)::equals);
        await().atMost(PATIENCE).pollInterval(LOOK).until(only::isReady);
    }

    /** Counts the shards by the URL of the node that has them, as a broker lists them. */
    private static Map<String, Integer> served(BrokerProcess broker) throws Exception {
        BrokerProcess.Answer answer = broker.http("/api/v1/shards");
        Map<String, Integer> shards = new TreeMap<>();
        if (answer.status() == 200) {
            for (JsonNode shard : JSON.readTree(answer.body()).path("items")) {
                shards.merge(shard.path("url").asText(), 1, Integer::sum);
            }
        }
        return shards;
    }
}
