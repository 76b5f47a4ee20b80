package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.ownership.ShardStopped;
import io.ringtable.broker.shard.FaultyStore.Fault;
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
        Outcome outcome = shard.publish(queue, "a");
        assertThat(outcome.isKnown()).isFalse();
        shard.store.calls.clear();
        shard.commitTurn();
        assertThat(shard.store.calls).containsExactly("flush");
        assertThat(outcome.accepted).isTrue();
    }

    @Test
    void whatWaitsTogetherIsOneFlush() {
        List<Outcome> outcomes = IntStream.range(0, 500)
                .mapToObj(i -> shard.publish(queue, Integer.toString(i)))
                .toList();
        shard.store.calls.clear();
        shard.run();
        assertThat(shard.store.calls).containsExactly("flush");
        assertThat(outcomes).allMatch(outcome -> outcome.accepted);
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"OUTCOME_UNKNOWN", "UNAVAILABLE", "RETRYABLE"})
    void aFlushThatDidNotHappenIsMadeAgain(Kind kind) {
        failOnce("flush", Fault.before(kind));
        Outcome outcome = shard.publish(queue, "a");
        shard.run();
        assertThat(outcome.accepted).isTrue();
        assertThat(received(queue)).containsExactly("a");
    }

    @Test
    void aFlushWhoseAnswerWasLostIsNotMadeTwice() {
        long epoch = shard.state.epoch();
        failOnce("flush", Fault.after(Kind.OUTCOME_UNKNOWN));
        Outcome outcome = shard.publish(queue, "a");
        shard.run();
        assertThat(outcome.accepted).isTrue();
        assertThat(shard.state.epoch()).as("asked under a later epoch").isGreaterThan(epoch);
        assertThat(shard.state.ring().next()).isEqualTo(1);
        assertThat(received(queue)).containsExactly("a");
    }

    @Test
    void aStoreThatTakesNoWritesRefusesPublishersAndKeepsSettlements() {
        Reader reader = shard.attach(shard.reader(queue), 10);
        shard.publish(queue, 0, 1);
        shard.store.plan = (verb, flush) -> Fault.before(Kind.NOT_WRITABLE);
        Outcome settled = reader.accept(reader.deliveries.get(0));
        Outcome refused = shard.publish(queue, "b");
        shard.commitTurn();
        assertThat(refused.refusal).isNotNull();
        assertThat(refused.refusal.code()).startsWith("RT-3");
        assertThat(settled.isKnown()).isFalse();
        assertThat(queue.quota().messages()).as("its place came back").isEqualTo(1);

        shard.store.plan = FaultyStore.NOTHING_FAILS;
        shard.run();
        assertThat(settled.accepted).isTrue();
        assertThat(queue.quota().messages()).isZero();
    }

    @Test
    void aFencedCommitterStopsAndStandsBy() {
        shard.store.plan = (verb, flush) -> Fault.before(Kind.FENCED);
        Outcome outcome = shard.publish(queue, "a");
        assertThatThrownBy(() -> shard.commitTurn())
                .isInstanceOfSatisfying(
                        ShardStopped.class,
                        stopped -> assertThat(stopped.next()).isEqualTo(ShardStopped.Next.STAND_BY));
        assertThat(outcome.accepted).isFalse();
    }

    @Test
    void aRowThatTheDatabaseRefusesIsRefusedAloneAndTheOthersGoOn() throws SQLException {
        shard.crash();
        shard.store.close();
        sql("CREATE TRIGGER refuse BEFORE UPDATE ON slot WHEN NEW.body = CAST('bad' AS BLOB)"
                + " BEGIN SELECT RAISE(ABORT, 'refused by the test'); END");
        shard.open();
        queue = shard.address("q");
        List<Outcome> outcomes = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            outcomes.add(shard.publish(queue, i == 33 ? "bad" : Integer.toString(i)));
        }
        Outcome together = shard.submit(
                shard.message(queue, SteppedShard.bytes("x")), shard.message(queue, SteppedShard.bytes("bad")));
        shard.run();

        assertThat(outcomes.get(33).refusal.text()).contains("refused by the test");
        outcomes.remove(33);
        assertThat(outcomes).allMatch(outcome -> outcome.accepted);
        assertThat(together.refusal).as("a transaction is refused as a whole").isNotNull();
        assertThat(received(queue)).hasSize(49).doesNotContain("bad", "x");
        assertThat(queue.quota().messages()).isEqualTo(49);
        assertThat(shard.state.ring().next()).as("no holes").isEqualTo(49);
    }

    @Test
    void aTransactionLargerThanTheRingCanHoldIsRefusedByName() {
        Message message = shard.message(queue, SteppedShard.bytes("x"));
        Message[] many = new Message[SteppedShard.GEOMETRY.capacity()];
        java.util.Arrays.fill(many, message);
        Outcome outcome = shard.submit(many);
        Outcome after = shard.publish(queue, "after");
        shard.run();
        assertThat(outcome.refusal.code()).isEqualTo("RT-2015");
        assertThat(after.accepted).isTrue();
        assertThat(queue.quota().messages()).isEqualTo(1);
    }

    @Test
    void aTopicMessageThatNobodyOwesIsNeitherStoredNorNumbered() {
        Address topic = shard.topic("t");
        Outcome outcome = shard.publish(topic, "a");
        shard.store.calls.clear();
        shard.run();
        assertThat(outcome.accepted).isTrue();
        assertThat(shard.store.calls).isEmpty();
        assertThat(shard.store.ownerChecks).as("one read of the epoch").isEqualTo(1);
        assertThat(shard.state.ring().next()).isZero();
        assertThat(topic.quota().messages()).isZero();
    }

    @Test
    void whatNobodyOwesIsNotAcceptedByANodeThatAnotherOneHasFollowed() {
        Address topic = shard.topic("t");
        shard.store.acquire("node-2", "the other node", Duration.ofSeconds(10), SteppedShard.GEOMETRY);
        Outcome outcome = shard.publish(topic, "a");
        assertThatThrownBy(shard::run)
                .isInstanceOfSatisfying(
                        ShardStopped.class,
                        stopped -> assertThat(stopped.next()).isEqualTo(ShardStopped.Next.STAND_BY));
        assertThat(outcome.isKnown()).isFalse();
    }

    @Test
    void whatMemoryKnowsHoldsOnlyIfNobodyHasOwnedTheShardInBetween() {
        shard.publish(queue, "a");
        shard.run();
        failOnce(
                "flush",
                Fault.before(Kind.UNAVAILABLE),
                () -> shard.store.acquire("node-2", "the other node", Duration.ofSeconds(10), SteppedShard.GEOMETRY));
        Outcome outcome = shard.publish(queue, "b");
        assertThatThrownBy(shard::run)
                .as("gate and next are where they were, and the other node may have settled")
                .isInstanceOfSatisfying(
                        ShardStopped.class,
                        stopped -> assertThat(stopped.next()).isEqualTo(ShardStopped.Next.RECOVER));
        assertThat(outcome.isKnown()).isFalse();
    }

    @Test
    void nobodyHearsOfAFlushThatEndedAfterTheLease() {
        shard.stop();
        shard.nanoClock = () -> nanos;
        shard.begin();
        queue = shard.address("q");
        failOnce("flush", null, () -> nanos += SteppedShard.LEASE.toNanos());
        Outcome outcome = shard.publish(queue, "a");
        assertThatThrownBy(shard::run)
                .isInstanceOfSatisfying(
                        ShardStopped.class,
                        stopped -> assertThat(stopped.next()).isEqualTo(ShardStopped.Next.STAND_BY));
        assertThat(outcome.isKnown()).isFalse();
    }

    @Test
    void nothingIsDeliveredAfterTheLease() {
        shard.stop();
        shard.nanoClock = () -> nanos;
        shard.begin();
        queue = shard.address("q");
        shard.publish(queue, "a");
        shard.run();
        Reader reader = shard.attach(shard.reader(queue), 10);
        nanos += SteppedShard.LEASE.toNanos();
        shard.dispatchTurn();
        shard.readTurn();
        shard.dispatchTurn();
        assertThat(reader.deliveries).isEmpty();
        shard.lease.renewed(nanos);
        shard.run();
        assertThat(reader.texts()).containsExactly("a");
    }

    @Test
    void bodiesOfRefusedAndOfUnwantedMessagesDoNotStay() throws SQLException {
        byte[] large = new byte[100_000];
        shard.store.plan = (verb, flush) -> Fault.before(Kind.NOT_WRITABLE);
        Outcome refused = shard.submit(shard.message(queue, large));
        shard.commitTurn();
        assertThat(refused.refusal).isNotNull();
        shard.store.plan = FaultyStore.NOTHING_FAILS;

        shard.submit(shard.message(shard.topic("nobody"), large));
        shard.run();

        Outcome kept = shard.submit(shard.message(queue, large));
        shard.run();
        assertThat(kept.accepted).isTrue();
        shard.stage(shard.doors.bodyIds().nextBodyId(), new byte[0]); // the stager has done what was asked before this
        assertThat(shard.store.orphanedBodies())
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
            queues.add(shard.queue("many-" + i));
        }
        shard.store.calls.clear();
        List<Outcome> outcomes =
                queues.stream().map(each -> shard.publish(each, each.name())).toList();
        shard.run();
        assertThat(outcomes).allMatch(outcome -> outcome.accepted);
        assertThat(shard.store.calls).containsOnlyOnce("flush");
        List<Reader> readers =
                queues.stream().map(each -> shard.attach(shard.reader(each), 1)).toList();
        shard.run();
        assertThat(readers)
                .allMatch(reader -> reader.texts()
                        .equals(List.of(reader.subscription.address().name())));
    }

    @Test
    void whatIsHandedInAfterTheEndIsRefusedAndGivesItsPlacesBack() {
        shard.stop();
        Message message = shard.message(queue, SteppedShard.bytes("late"));
        assertThat(queue.quota().tryReserve(1, message.bytes())).isTrue();
        Outcome late = new Outcome();
        shard.doors.committer().trySubmit(Work.publish(message, late));
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
