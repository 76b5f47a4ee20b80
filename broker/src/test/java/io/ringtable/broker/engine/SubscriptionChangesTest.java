package io.ringtable.broker.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.engine.FaultyStore.Fault;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.store.StoreFailure.Kind;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Addresses and subscriptions come, change and go, and with them bits and what they owe. */
class SubscriptionChangesTest extends SteppedQueueTest {
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
}
