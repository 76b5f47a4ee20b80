package io.ringtable.broker.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.engine.FaultyStore.Fault;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.ownership.ShardStopped;
import io.ringtable.broker.store.StoreFailure.Kind;
import io.ringtable.broker.work.Work;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Durable before accepted, whatever the store does; on a real SQLite file, stepped by hand. */
class CommitterTest extends SteppedQueueTest {
    private long nanos;

    @Test
    void acceptsOnlyAfterTheFlush() {
        Outcome outcome = engine.publish(queue, "a");
        assertThat(outcome.isKnown()).isFalse();
        engine.store.calls.clear();
        engine.commitTurn();
        assertThat(engine.store.calls).containsExactly("flush");
        assertThat(outcome.accepted).isTrue();
    }

    @Test
    void whatWaitsTogetherIsOneFlush() {
        List<Outcome> outcomes = IntStream.range(0, 500)
                .mapToObj(i -> engine.publish(queue, Integer.toString(i)))
                .toList();
        engine.store.calls.clear();
        engine.run();
        assertThat(engine.store.calls).containsExactly("flush");
        assertThat(outcomes).allMatch(outcome -> outcome.accepted);
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"OUTCOME_UNKNOWN", "UNAVAILABLE", "RETRYABLE"})
    void aFlushThatDidNotHappenIsMadeAgain(Kind kind) {
        failOnce("flush", Fault.before(kind));
        Outcome outcome = engine.publish(queue, "a");
        engine.run();
        assertThat(outcome.accepted).isTrue();
        assertThat(received(queue)).containsExactly("a");
    }

    @Test
    void aFlushWhoseAnswerWasLostIsNotMadeTwice() {
        long epoch = engine.state.epoch();
        failOnce("flush", Fault.after(Kind.OUTCOME_UNKNOWN));
        Outcome outcome = engine.publish(queue, "a");
        engine.run();
        assertThat(outcome.accepted).isTrue();
        assertThat(engine.state.epoch()).as("asked under a later epoch").isGreaterThan(epoch);
        assertThat(engine.state.ring().next()).isEqualTo(1);
        assertThat(received(queue)).containsExactly("a");
    }

    @Test
    void aStoreThatTakesNoWritesRefusesPublishersAndKeepsSettlements() {
        Reader reader = engine.attach(engine.reader(queue), 10);
        engine.publish(queue, 0, 1);
        engine.store.plan = (verb, flush) -> Fault.before(Kind.NOT_WRITABLE);
        Outcome settled = reader.accept(reader.deliveries.get(0));
        Outcome refused = engine.publish(queue, "b");
        engine.commitTurn();
        assertThat(refused.refusal).isNotNull();
        assertThat(refused.refusal.code()).startsWith("RT-3");
        assertThat(settled.isKnown()).isFalse();
        assertThat(queue.quota().messages()).as("its place came back").isEqualTo(1);

        engine.store.plan = FaultyStore.NOTHING_FAILS;
        engine.run();
        assertThat(settled.accepted).isTrue();
        assertThat(queue.quota().messages()).isZero();
    }

    @Test
    void aFencedCommitterStopsAndStandsBy() {
        engine.store.plan = (verb, flush) -> Fault.before(Kind.FENCED);
        Outcome outcome = engine.publish(queue, "a");
        assertThatThrownBy(() -> engine.commitTurn())
                .isInstanceOfSatisfying(
                        ShardStopped.class,
                        stopped -> assertThat(stopped.next()).isEqualTo(ShardStopped.Next.STAND_BY));
        assertThat(outcome.accepted).isFalse();
    }

    @Test
    void aRowThatTheDatabaseRefusesIsRefusedAloneAndTheOthersGoOn() throws SQLException {
        engine.crash();
        engine.store.close();
        sql("CREATE TRIGGER refuse BEFORE UPDATE ON slot WHEN NEW.body = CAST('bad' AS BLOB)"
                + " BEGIN SELECT RAISE(ABORT, 'refused by the test'); END");
        engine.open();
        queue = engine.address("q");
        List<Outcome> outcomes = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            outcomes.add(engine.publish(queue, i == 33 ? "bad" : Integer.toString(i)));
        }
        Outcome together = engine.submit(
                engine.message(queue, SteppedEngine.bytes("x")), engine.message(queue, SteppedEngine.bytes("bad")));
        engine.run();

        assertThat(outcomes.get(33).refusal.text()).contains("refused by the test");
        outcomes.remove(33);
        assertThat(outcomes).allMatch(outcome -> outcome.accepted);
        assertThat(together.refusal).as("a transaction is refused as a whole").isNotNull();
        assertThat(received(queue)).hasSize(49).doesNotContain("bad", "x");
        assertThat(queue.quota().messages()).isEqualTo(49);
        assertThat(engine.state.ring().next()).as("no holes").isEqualTo(49);
    }

    @Test
    void aTransactionLargerThanTheRingCanHoldIsRefusedByName() {
        Message message = engine.message(queue, SteppedEngine.bytes("x"));
        Message[] many = new Message[SteppedEngine.GEOMETRY.capacity()];
        java.util.Arrays.fill(many, message);
        Outcome outcome = engine.submit(many);
        Outcome after = engine.publish(queue, "after");
        engine.run();
        assertThat(outcome.refusal.code()).isEqualTo("RT-2015");
        assertThat(after.accepted).isTrue();
        assertThat(queue.quota().messages()).isEqualTo(1);
    }

    @Test
    void aTopicMessageThatNobodyOwesIsNeitherStoredNorNumbered() {
        Address topic = engine.topic("t");
        Outcome outcome = engine.publish(topic, "a");
        engine.store.calls.clear();
        engine.run();
        assertThat(outcome.accepted).isTrue();
        assertThat(engine.store.calls).isEmpty();
        assertThat(engine.store.ownerChecks).as("one read of the epoch").isEqualTo(1);
        assertThat(engine.state.ring().next()).isZero();
        assertThat(topic.quota().messages()).isZero();
    }

    @Test
    void whatNobodyOwesIsNotAcceptedByANodeThatAnotherOneHasFollowed() {
        Address topic = engine.topic("t");
        engine.store.acquire("node-2", "the other node", Duration.ofSeconds(10), SteppedEngine.GEOMETRY);
        Outcome outcome = engine.publish(topic, "a");
        assertThatThrownBy(engine::run)
                .isInstanceOfSatisfying(
                        ShardStopped.class,
                        stopped -> assertThat(stopped.next()).isEqualTo(ShardStopped.Next.STAND_BY));
        assertThat(outcome.isKnown()).isFalse();
    }

    @Test
    void whatMemoryKnowsHoldsOnlyIfNobodyHasOwnedTheShardInBetween() {
        engine.publish(queue, "a");
        engine.run();
        failOnce(
                "flush",
                Fault.before(Kind.UNAVAILABLE),
                () -> engine.store.acquire("node-2", "the other node", Duration.ofSeconds(10), SteppedEngine.GEOMETRY));
        Outcome outcome = engine.publish(queue, "b");
        assertThatThrownBy(engine::run)
                .as("gate and next are where they were, and the other node may have settled")
                .isInstanceOfSatisfying(
                        ShardStopped.class,
                        stopped -> assertThat(stopped.next()).isEqualTo(ShardStopped.Next.RECOVER));
        assertThat(outcome.isKnown()).isFalse();
    }

    @Test
    void nobodyHearsOfAFlushThatEndedAfterTheLease() {
        engine.stop();
        engine.nanoClock = () -> nanos;
        engine.begin();
        queue = engine.address("q");
        failOnce("flush", null, () -> nanos += SteppedEngine.LEASE.toNanos());
        Outcome outcome = engine.publish(queue, "a");
        assertThatThrownBy(engine::run)
                .isInstanceOfSatisfying(
                        ShardStopped.class,
                        stopped -> assertThat(stopped.next()).isEqualTo(ShardStopped.Next.STAND_BY));
        assertThat(outcome.isKnown()).isFalse();
    }

    @Test
    void nothingIsDeliveredAfterTheLease() {
        engine.stop();
        engine.nanoClock = () -> nanos;
        engine.begin();
        queue = engine.address("q");
        engine.publish(queue, "a");
        engine.run();
        Reader reader = engine.attach(engine.reader(queue), 10);
        nanos += SteppedEngine.LEASE.toNanos();
        engine.dispatchTurn();
        engine.readTurn();
        engine.dispatchTurn();
        assertThat(reader.deliveries).isEmpty();
        engine.lease.renewed(nanos);
        engine.run();
        assertThat(reader.texts()).containsExactly("a");
    }

    @Test
    void bodiesOfRefusedAndOfUnwantedMessagesDoNotStay() throws SQLException {
        byte[] large = new byte[100_000];
        engine.store.plan = (verb, flush) -> Fault.before(Kind.NOT_WRITABLE);
        Outcome refused = engine.submit(engine.message(queue, large));
        engine.commitTurn();
        assertThat(refused.refusal).isNotNull();
        engine.store.plan = FaultyStore.NOTHING_FAILS;

        engine.submit(engine.message(engine.topic("nobody"), large));
        engine.run();

        Outcome kept = engine.submit(engine.message(queue, large));
        engine.run();
        assertThat(kept.accepted).isTrue();
        engine.stage(
                engine.doors.bodyIds().nextBodyId(), new byte[0]); // the stager has done what was asked before this
        assertThat(engine.store.orphanedBodies())
                .as("all but the one just staged")
                .hasSize(1);
        assertThat(received(queue))
                .singleElement()
                .satisfies(text -> assertThat(text).hasSize(100_000));
    }

    @Test
    void aThousandQueuesShareAFlush() {
        List<Address> queues = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            queues.add(engine.queue("many-" + i));
        }
        engine.store.calls.clear();
        List<Outcome> outcomes =
                queues.stream().map(each -> engine.publish(each, each.name())).toList();
        engine.run();
        assertThat(outcomes).allMatch(outcome -> outcome.accepted);
        assertThat(engine.store.calls).containsOnlyOnce("flush");
        List<Reader> readers = queues.stream()
                .map(each -> engine.attach(engine.reader(each), 1))
                .toList();
        engine.run();
        assertThat(readers)
                .allMatch(reader -> reader.texts()
                        .equals(List.of(reader.subscription.address().name())));
    }

    @Test
    void whatIsHandedInAfterTheEndIsRefusedAndGivesItsPlacesBack() {
        engine.stop();
        Message message = engine.message(queue, SteppedEngine.bytes("late"));
        assertThat(queue.quota().tryReserve(1, message.bytes())).isTrue();
        Outcome late = new Outcome();
        engine.doors.committer().trySubmit(Work.publish(message, late));
        assertThat(late.refusal).isNotNull();
        assertThat(queue.quota().messages()).isZero();
        assertThat(queue.quota().bytes()).isZero();
    }

    private void sql(String statement) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("ringtable.db"));
                Statement update = connection.createStatement()) {
            update.executeUpdate(statement);
        }
    }
}
