package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ringtable.broker.admin.BrokerLiveness;
import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.status.BrokerState.Phase;
import io.ringtable.broker.store.Ownership;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.jdbc.StoreSettings;
import jakarta.jms.Connection;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.health.contributor.Status;
import tools.jackson.databind.JsonNode;

/** Three shards on SQLite files: what the broker says while one of them is not served, and what clients still get. */
class ShardOutageTest extends PartOutageScenario {
    @TempDir
    Path directory;

    @Override
    StoreSettings store() {
        return StoreSettings.embedded(directory);
    }

    @Test
    void aShardThatAnotherNodeOwnsIsNamedAndTheNodeIsNotReadyBeforeItHasAll() {
        plan = (shard, verb) ->
                shard == 1 && verb.equals("acquire") ? new Ownership.HeldBy("the other", 7, 60_000) : null;
        start("1s");

        assertThat(broker.state().phase()).isEqualTo(Phase.STANDBY);
        assertThat(broker.state().text()).startsWith("standing by: node the other owns shard 1, epoch 7");
        assertThat(broker.status().shard()).isNull();
        assertThat(health().getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
        assertThat(notServed().get("0")).startsWith("STARTING: taken, epoch ");
        assertThat(notServed().get("1")).startsWith("STANDBY: node the other owns shard 1, epoch 7");
        assertThat(notServed().get("2")).isEqualTo("STARTING: not taken yet");
        JsonNode listed = listed();
        assertThat(listed.path("items").size()).isEqualTo(SHARDS);
        assertThat(listed.path("items").path(1).path("state").asString()).isEqualTo("STANDBY");
        assertThat(listed.path("items").path(1).has("filled")).isFalse();

        plan = NONE;

        await().until(() -> broker.state().isActive());
        assertThat(health().getStatus()).isEqualTo(Status.UP);
        assertThat(health().getDetails()).doesNotContainKey("shards");
        assertThat(phases()).containsExactly(Phase.ACTIVE, Phase.ACTIVE, Phase.ACTIVE);
        assertThat(listed().path("items").path(1).path("filled").isNumber()).isTrue();
    }

    @Test
    void aShardThatWaitsForItsNewStartIsNamedAndItsNamesAreNotMadeAnew() {
        start("1m"); // longer than the test: closing the broker ends the wait
        String away = queueIn(2);
        String served = queueIn(0);
        assertThat(ask("PUT", "/policies/wide.#", "{'parts': 3}").status()).isEqualTo(201);
        AtomicReference<Exception> closed = new AtomicReference<>();
        try (JMSContext ofAway = jms().createContext();
                JMSContext other = jms().createContext();
                JMSContext client = jms().createContext()) {
            client.setClientID("client");
            client.createConsumer(client.createTopic("prices")).close();
            ofAway.setExceptionListener(why -> closed.compareAndSet(null, why));
            ofAway.createConsumer(ofAway.createQueue(away));
            other.createProducer().send(other.createQueue(served), "before");
            plan = noFlushOf(2);

            publish(away);

            await().until(() -> broker.state().failures().nextTry() != null);
            assertThat(broker.state().failures().last()).contains("shard 2: ", "of the test");
            assertThat(broker.state().text())
                    .startsWith("serving AMQP on ")
                    .contains("; shard 2 is away, RESTARTING: RT-2311", "of the test");
            assertThat(phases()).containsExactly(Phase.ACTIVE, Phase.ACTIVE, Phase.RESTARTING);
            assertThat(health().getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
            assertThat(notServed()).containsOnlyKeys("2");
            await().until(() -> closed.get() != null);
            assertThat(closed.get()).hasMessageContaining("RT-4535 shard 2, which this connection uses, is away");

            other.createProducer().send(other.createQueue(served), "meanwhile");
            assertThatThrownBy(() -> other.createConsumer(other.createQueue(away)))
                    .hasMessageContaining("RT-4533 shard 2 of this node is away: try again")
                    .hasMessageContaining("amqp:connection:forced");
            other.createProducer().send(other.createQueue("never.seen"), "new"); // the directory shows the name is free
            assertThat(ShardIds.shardOf(
                            broker.shard().lookup().find("never.seen").id()))
                    .isNotEqualTo(2);
            assertThatThrownBy(() -> other.createConsumer(other.createQueue("wide.queue")))
                    .hasMessageContaining(
                            "RT-4534 address 'wide.queue' cannot be made while shard 2, which may have it,");
            assertThatThrownBy(() -> other.createProducer().send(other.createQueue(away), "refused"))
                    .hasMessageContaining("RT-4533");
            client.createDurableConsumer(client.createTopic("prices"), "new").close(); // the topic's home is served
            for (int i = 0; i < SHARDS; i++) { // in each shard but the one
                other.createConsumer(other.createTemporaryQueue());
            }
            assertThat(other.createConsumer(other.createQueue(served)).receiveBody(String.class, 60_000))
                    .as("the connection has gone on")
                    .isEqualTo("before");
        }
        assertThat(ask("GET", "/addresses/" + away, null).status()).isEqualTo(200);
        assertThatThrownBy(() -> broker.shard()
                        .catalog()
                        .ensure(away, null)
                        .toCompletableFuture()
                        .join())
                .hasMessageContaining("RT-4533");
    }

    @Test
    void aClientThatReconnectsByItselfNoticesNoMoreThanAPause() {
        start("50ms");
        String queue = queueIn(1);
        String url = "failover:(amqp://127.0.0.1:" + broker.amqpPort() + ")?failover.reconnectDelay=50";
        try (JMSContext context = new JmsConnectionFactory(url).createContext()) {
            JMSConsumer consumer = context.createConsumer(context.createQueue(queue));
            AtomicInteger starts = new AtomicInteger();
            plan = (shard, verb) -> {
                if (shard == 1 && (verb.equals("flush") || verb.equals("recover") && starts.incrementAndGet() < 4)) {
                    throw new OutOfMemoryError("of the test");
                }
                return null;
            };
            publish(queue);
            await().until(() -> starts.get() >= 4);
            plan = NONE;

            await().until(() -> publish(queue));
            assertThat(consumer.receiveBody(String.class, 60_000)).isEqualTo("one");
        }
    }

    @Test
    void aCommitWithoutLinksToTheShardThatStopsHearsOfIt() throws Exception {
        start("50ms");
        String queue = queueIn(1);
        Connection connection = jms().createConnection();
        Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
        MessageProducer producer = session.createProducer(session.createQueue(queue));
        producer.send(session.createMessage());
        producer.close();
        plan = noFlushOf(1);

        assertThatThrownBy(session::commit).isInstanceOf(JMSException.class);
        try {
            connection.close();
        } catch (JMSException lost) {
            assertThat(lost).hasMessageContaining("RT-4535"); // the client had not noticed it during the commit
        }
    }

    @Test
    void theFirstShardComesBackWithItsPoliciesWhichTheOthersFollow() {
        start("50ms");
        String ofFirst = queueIn(0);
        assertThat(ask("PUT", "/policies/before.#", "{'deliveriesMax': 2}").status())
                .isEqualTo(201);
        plan = noFlushOf(0);
        publish(ofFirst);
        await().until(() -> phases().get(0) != Phase.ACTIVE);
        plan = NONE;
        await().until(() -> phases().get(0) == Phase.ACTIVE);

        assertThat(ask("PUT", "/policies/after.#", "{'deadLetterQueue': 'after.dead'}")
                        .status())
                .isEqualTo(201);
        assertThat(broker.shard().policies().of("before.x").deliveriesMax()).isEqualTo(2);
        assertThat(broker.shard().policies().of("after.x").deadLetterQueue()).isEqualTo("after.dead");
        await().until(() -> broker.status().shards().stream()
                .allMatch(shard -> shard.figures().addresses().stream()
                        .anyMatch(address -> address.name().equals("after.dead"))));
    }

    @Test
    void aNodeThatLosesTheFirstShardGivesUpAllAndComesBackWithAll() {
        start("50ms");
        String ofFirst = queueIn(0);
        plan = (shard, verb) -> shard == 0 && verb.equals("acquire")
                ? new Ownership.HeldBy("the other", 7, 60_000)
                : noFlushOf(0).instead(shard, verb);
        publish(ofFirst);

        await().until(() -> broker.state().phase() == Phase.STANDBY);
        await().until(() -> broker.amqpPort() == -1);
        await().until(() -> broker.state().text().startsWith("standing by: node the other owns shard 0, epoch 7"));
        assertThat(health().getStatus()).isEqualTo(Status.OUT_OF_SERVICE);

        plan = NONE;
        await().until(() -> broker.state().isActive());
        assertThat(phases()).containsExactly(Phase.ACTIVE, Phase.ACTIVE, Phase.ACTIVE);
        assertThat(publish(ofFirst)).isTrue();
    }

    @Test
    void aShardWhoseTablesAreDamagedWaitsForAnOperatorAndTheOthersAreServed() {
        start("50ms");
        String damaged = queueIn(1);
        String served = queueIn(2);
        plan = (shard, verb) -> {
            if (shard == 1 && verb.equals("recover")) {
                throw new StoreFailure(StoreFailure.Kind.CORRUPT, "RT-3099", "of the test");
            }
            return noFlushOf(1).instead(shard, verb);
        };
        publish(damaged);

        await().until(() -> phases().get(1) == Phase.FAILED);
        assertThat(notServed().get("1")).startsWith("FAILED: RT-2319").contains("RT-3099");
        assertThat(broker.state().phase()).isEqualTo(Phase.ACTIVE);
        assertThat(new BrokerLiveness(broker::state).health().getStatus()).isEqualTo(Status.UP);
        assertThat(publish(served)).isTrue();
    }

    @Test
    void whenNoneIsLeftTheNodeStartsAllAnew() {
        start("50ms");
        List<String> queues = List.of(queueIn(0), queueIn(1), queueIn(2));
        plan = (shard, verb) -> {
            if (verb.equals("flush") || verb.equals("recover")) {
                throw new OutOfMemoryError("of the test");
            }
            return null;
        };
        queues.forEach(this::publish);

        await().until(() -> broker.amqpPort() == -1);
        plan = NONE;
        await().until(() -> broker.state().isActive() && broker.amqpPort() != -1);
        assertThat(phases()).containsExactly(Phase.ACTIVE, Phase.ACTIVE, Phase.ACTIVE);
        queues.forEach(queue -> assertThat(publish(queue)).isTrue());
    }

    @Test
    void aStoreWithoutWritesIsNamedUntilItsOwnShardWritesAgain() {
        start("1s");
        String stuck = queueIn(1);
        String other = queueIn(0);
        plan = (shard, verb) -> {
            if (shard == 1 && verb.equals("flush")) {
                throw new StoreFailure(StoreFailure.Kind.NOT_WRITABLE, "RT-3099", "no space, in the test");
            }
            return null;
        };

        assertThat(publish(stuck)).isFalse();
        assertThat(publish(other)).isTrue();

        assertThat(meters.trouble()).startsWith("shard 1: ").contains("RT-3099");
        assertThat(health().getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
        assertThat(phases()).containsExactly(Phase.ACTIVE, Phase.ACTIVE, Phase.ACTIVE);

        plan = NONE;

        await().until(() -> publish(stuck));
        assertThat(meters.trouble()).isNull();
        assertThat(health().getStatus()).isEqualTo(Status.UP);
    }
}
