package io.ringtable.broker.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.engine.FaultyStore.Fault;
import io.ringtable.broker.engine.SteppedEngine.Outcome;
import io.ringtable.broker.engine.SteppedEngine.Reader;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.ownership.ShardStopped;
import io.ringtable.broker.store.StoreFailure.Kind;
import io.ringtable.broker.work.Work;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Durable before accepted, whatever the store does; on a real SQLite file, stepped by hand. */
class CommitterTest {
    @TempDir
    Path directory;

    private SteppedEngine engine;
    private Address queue;
    private long nanos;

    @BeforeEach
    void open() {
        engine = new SteppedEngine(directory).open();
        queue = engine.queue("q");
    }

    @AfterEach
    void close() {
        engine.close();
    }

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

    @Test
    void changesOfTheCatalogueLetFlushesGoBetween() {
        engine.store.calls.clear();
        List<CompletionStage<Address>> asked = IntStream.range(0, 100)
                .mapToObj(i -> engine.doors.catalog().ensure("many-" + i, AddressKind.QUEUE))
                .toList();
        Outcome outcome = engine.publish(queue, "a");
        engine.commitTurn();
        assertThat(outcome.accepted).as("beside 100 attaches").isTrue();
        assertThat(engine.store.calls.indexOf("flush")).isBetween(1, 4);
        engine.run();
        assertThat(asked).allMatch(stage -> stage.toCompletableFuture().isDone());
        assertThat(engine.store.calls.stream().filter("alter"::equals)).hasSize(100);
    }

    @Test
    void requestsThatChangeNoTableLetFlushesGoBetween() {
        int[] answered = {0};
        for (int i = 0; i < 90; i++) {
            engine.doors.catalog().createTemporary(AddressKind.QUEUE, null).thenRun(() -> answered[0]++);
        }
        Outcome outcome = engine.publish(queue, "a");
        engine.commitTurn();
        assertThat(outcome.accepted).isTrue();
        assertThat(answered[0]).as("answered before the flush").isBetween(1, 64);
        engine.run();
        assertThat(answered[0]).isEqualTo(90);
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
        assertThat(received(1)).containsExactly("a");
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
        assertThat(received(2)).containsExactly("a");
    }

    @Test
    void anAddressWhoseCreationIsUnknownIsCreatedOnce() {
        failOnce("alter", Fault.after(Kind.OUTCOME_UNKNOWN));
        Address made = engine.queue("made");
        failOnce("alter", Fault.before(Kind.OUTCOME_UNKNOWN));
        Address next = engine.queue("next");
        assertThat(next.id()).isGreaterThan(made.id());
        engine.crashAndRestart();
        assertThat(engine.address("made").id()).isEqualTo(made.id());
        assertThat(engine.address("next").id()).isEqualTo(next.id());
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
        assertThat(received(100)).hasSize(49).doesNotContain("bad", "x");
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
        SteppedEngine.Reader reader = engine.attach(engine.reader(queue), 10);
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
    void moreSubscriptionsThanAGroupHasBitsShareOneFlush() {
        Address topic = engine.topic("t");
        List<Subscription> all = IntStream.range(0, 130)
                .mapToObj(i -> engine.subscribe(topic, "s" + i))
                .toList();
        engine.store.calls.clear();
        engine.publish(topic, 0, 10);
        assertThat(engine.store.calls).containsOnlyOnce("flush");
        assertThat(engine.state.ring().next()).as("a row per group").isEqualTo(30);
        for (Subscription subscription : all) {
            Reader reader = engine.attach(subscription, 100);
            engine.run();
            assertThat(reader.texts())
                    .isEqualTo(
                            IntStream.range(0, 10).mapToObj(Integer::toString).toList());
            reader.acceptAll();
            engine.run();
        }
        assertThat(topic.quota().messages()).isZero();
        assertThat(topic.quota().bytes()).isZero();
    }

    @Test
    void aSharedSubscriptionIsReplacedOnlyWhileNobodyAttendsIt() {
        CatalogMailbox catalog = engine.doors.catalog();
        Address topic = engine.topic("t");
        Address other = engine.topic("other");
        Subscription first = engine.await(catalog.subscribe(topic, "client", "s", null, false, true));
        assertThat(engine.await(catalog.subscribe(topic, "client", "s", null, false, true)))
                .isEqualTo(first);
        catalog.leave(first);
        isRefused(catalog.subscribe(other, "client", "s", null, false, true), "RT-2017");
        isRefused(catalog.subscribe(topic, "client", "s", SteppedEngine.selector("a"), false, true), "RT-2017");
        isRefused(catalog.unsubscribe(first), "RT-2018");
        catalog.leave(first);
        isRefused(catalog.subscribe(topic, "client", "s", null, false, false), "RT-2016");
        Subscription second = engine.await(catalog.subscribe(other, "client", "s", null, false, true));
        assertThat(second).isNotEqualTo(first);
        catalog.leave(first); // it is no more: who attends the second is not touched
        isRefused(catalog.unsubscribe(second), "RT-2018");
    }

    @Test
    void anotherNoLocalReplacesASubscription() {
        CatalogMailbox catalog = engine.doors.catalog();
        Address topic = engine.topic("t");
        Subscription everything = engine.await(catalog.subscribe(topic, "client", "s", null, false, false));
        engine.publish(topic, "owed to the first");
        engine.run();
        Subscription others = engine.await(catalog.subscribe(topic, "client", "s", null, true, false));
        assertThat(others).isNotEqualTo(everything);
        assertThat(topic.quota().messages()).isZero();
        assertThat(engine.await(catalog.subscribe(topic, "client", "s", null, true, false)))
                .isEqualTo(others);
        engine.crashAndRestart();
        assertThat(engine.subscription("s").noLocal()).isTrue();
    }

    @Test
    void aSharedVolatileSubscriptionIsOneAsLongAsSomebodyAttendsIt() {
        CatalogMailbox catalog = engine.doors.catalog();
        Address topic = engine.topic("t");
        engine.store.calls.clear();
        Subscription first = engine.await(catalog.subscribeVolatile(topic, "client", "s", null));
        assertThat(engine.await(catalog.subscribeVolatile(topic, "client", "s", null)))
                .isEqualTo(first);
        assertThat(engine.await(catalog.subscribeVolatile(topic, "", "s", null)))
                .as("a global one")
                .isNotEqualTo(first);
        isRefused(catalog.subscribeVolatile(topic, "client", "s", SteppedEngine.selector("a")), "RT-2017");
        catalog.leave(first);
        catalog.leave(first);
        assertThat(engine.await(catalog.subscribeVolatile(topic, "client", "s", SteppedEngine.selector("a"))))
                .isNotEqualTo(first);
        assertThat(engine.store.calls).as("nothing of it is stored").isEmpty();
    }

    private void isRefused(CompletionStage<?> asked, String code) {
        assertThatThrownBy(() -> engine.await(asked))
                .hasCauseInstanceOf(Refusal.Refused.class)
                .hasMessageContaining(code);
    }

    @Test
    void aBitIsGivenAwayAgainAtOnceAndItsFormerMessagesAreNot() {
        Address topic = engine.topic("t");
        Subscription first = engine.subscribe(topic, "first");
        engine.publish(topic, 0, 8_000); // much of it lies in the backlog by now
        engine.await(engine.doors.catalog().unsubscribe(first));
        Subscription second = engine.subscribe(topic, "second");
        assertThat(second.bit()).isEqualTo(first.bit());
        Reader reader = engine.attach(second, 100);
        engine.publish(topic, 8_000, 8_010);
        assertThat(reader.texts())
                .isEqualTo(IntStream.range(8_000, 8_010)
                        .mapToObj(Integer::toString)
                        .toList());
        reader.acceptAll();
        engine.run();
        assertThat(topic.quota().messages()).isZero();
        assertThat(engine.state.backlogMessages()).as("swept").isZero();
    }

    @Test
    void aNewHolderOfABitDoesNotReadWhatTheFormerOneLeftInTheBacklog() {
        Address topic = engine.topic("t");
        Subscription first = engine.subscribe(topic, "first");
        engine.publish(topic, 0, 8_000);
        engine.store.plan = (verb, flush) -> verb.equals("discard") ? Fault.before(Kind.NOT_WRITABLE) : null;
        engine.await(engine.doors.catalog().unsubscribe(first));
        Subscription second = engine.subscribe(topic, "second");
        assertThat(second.bit()).isEqualTo(first.bit());
        engine.publish(topic, 8_000, 16_000);
        assertThat(engine.entry(second).owedInBacklog()).isPositive();

        Reader reader = engine.attach(second, 100_000);
        engine.run();
        assertThat(reader.texts())
                .isEqualTo(IntStream.range(8_000, 16_000)
                        .mapToObj(Integer::toString)
                        .toList());
    }

    @Test
    void aDeadSubscriptionFillsTheBacklogAndTheLiveOneGoesOn() {
        Address topic = engine.topic("t");
        Subscription dead = engine.subscribe(topic, "dead");
        Subscription live = engine.subscribe(topic, "live");
        Reader reader = engine.attach(live, 1_000_000);
        int laps = 3 * SteppedEngine.GEOMETRY.capacity();
        for (int i = 0; i < laps; i += 1_000) {
            engine.publish(topic, i, i + 1_000);
            reader.acceptAll();
        }
        engine.run();
        assertThat(reader.deliveries).hasSize(laps / 1_000 * 1_000 + 1_000);
        assertThat(engine.state.ring().gate()).isGreaterThan(SteppedEngine.GEOMETRY.capacity());
        assertThat(engine.entry(dead).owedInBacklog()).isGreaterThan(0);

        Reader late = engine.attach(dead, 1_000_000);
        while (late.deliveries.size() < reader.deliveries.size()) {
            int before = late.deliveries.size();
            engine.run();
            late.acceptAll();
            assertThat(late.deliveries.size()).as("the backlog goes on").isGreaterThan(before);
        }
        engine.run();
        assertThat(late.texts()).as("in order").isEqualTo(reader.texts());
        assertThat(engine.state.backlogMessages()).isZero();
        assertThat(topic.quota().messages()).isZero();
        assertThat(topic.quota().bytes()).isZero();
    }

    @Test
    void aMessageSettledByOneSubscriptionBeforeTheMoveIsOverWithTheOthers() {
        Address topic = engine.topic("t");
        Subscription early = engine.subscribe(topic, "early");
        Subscription late = engine.subscribe(topic, "late");
        Reader first = engine.attach(early, 100);
        Reader second = engine.attach(late, 100);
        engine.publish(topic, 0, 100); // both have it in memory
        first.acceptAll();
        engine.run();
        engine.publish(queue, 0, 8_000); // the ring goes on, what is owed moves
        assertThat(engine.entry(late).owedInBacklog()).isEqualTo(100);
        second.acceptAll();
        engine.run();
        assertThat(topic.quota().messages()).isZero();
        assertThat(topic.quota().bytes()).isZero();
        assertThat(engine.entry(late).owedInBacklog()).isZero();
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
        assertThat(received(1))
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

    // ---- helpers

    private List<String> received(int credit) {
        Reader reader = engine.attach(engine.reader(queue), credit);
        engine.run();
        return reader.texts();
    }

    private void failOnce(String verb, Fault fault) {
        failOnce(verb, fault, () -> {});
    }

    /** @param meanwhile happens elsewhere while the call is on its way */
    private void failOnce(String verb, Fault fault, Runnable meanwhile) {
        engine.store.plan = (called, flush) -> {
            if (called.equals(verb)) {
                engine.store.plan = FaultyStore.NOTHING_FAILS;
                meanwhile.run();
                return fault;
            }
            return null;
        };
    }

    private void sql(String statement) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("ringtable.db"));
                Statement update = connection.createStatement()) {
            update.executeUpdate(statement);
        }
    }
}
