package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.shard.FaultyStore.Fault;
import io.ringtable.broker.store.StoreFailure.Kind;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Addresses and subscriptions come, change and go, and with them bits and what they owe. */
class SubscriptionChangesTest extends SteppedQueueTest {
    @Test
    void moreSubscriptionsThanAGroupHasBitsShareOneFlush() {
        Address topic = shard.topic("t");
        List<Subscription> all = IntStream.range(0, 130)
                .mapToObj(i -> shard.subscribe(topic, "s" + i))
                .toList();
        shard.store.calls.clear();
        shard.publish(topic, 0, 10);
        assertThat(shard.store.calls).containsOnlyOnce("flush");
        assertThat(shard.state.ring().next()).as("a row per group").isEqualTo(30);
        for (Subscription subscription : all) {
            Reader reader = shard.attach(subscription, 100);
            shard.run();
            assertThat(reader.texts())
                    .isEqualTo(
                            IntStream.range(0, 10).mapToObj(Integer::toString).toList());
            reader.acceptAll();
            shard.run();
        }
        assertThat(topic.quota().messages()).isZero();
        assertThat(topic.quota().bytes()).isZero();
    }

    @Test
    void aSharedSubscriptionIsReplacedOnlyWhileNobodyAttendsIt() {
        CatalogMailbox catalog = shard.doors.catalog();
        Address topic = shard.topic("t");
        Address other = shard.topic("other");
        Subscription first = shard.await(catalog.subscribe(topic, "client", "s", null, false, true));
        assertThat(shard.await(catalog.subscribe(topic, "client", "s", null, false, true)))
                .isEqualTo(first);
        catalog.leave(first);
        isRefused(catalog.subscribe(other, "client", "s", null, false, true), "RT-2017");
        isRefused(catalog.subscribe(topic, "client", "s", SteppedShard.selector("a"), false, true), "RT-2017");
        isRefused(catalog.unsubscribe(first), "RT-2018");
        catalog.leave(first);
        isRefused(catalog.subscribe(topic, "client", "s", null, false, false), "RT-2016");
        Subscription second = shard.await(catalog.subscribe(other, "client", "s", null, false, true));
        assertThat(second).isNotEqualTo(first);
        catalog.leave(first); // it is no more: who attends the second is not touched
        isRefused(catalog.unsubscribe(second), "RT-2018");
    }

    @Test
    void anotherNoLocalReplacesASubscription() {
        CatalogMailbox catalog = shard.doors.catalog();
        Address topic = shard.topic("t");
        Subscription everything = shard.await(catalog.subscribe(topic, "client", "s", null, false, false));
        shard.publish(topic, "owed to the first");
        shard.run();
        Subscription others = shard.await(catalog.subscribe(topic, "client", "s", null, true, false));
        assertThat(others).isNotEqualTo(everything);
        assertThat(topic.quota().messages()).isZero();
        assertThat(shard.await(catalog.subscribe(topic, "client", "s", null, true, false)))
                .isEqualTo(others);
        shard.crashAndRestart();
        assertThat(shard.subscription("s").noLocal()).isTrue();
    }

    @Test
    void aSharedVolatileSubscriptionIsOneAsLongAsSomebodyAttendsIt() {
        CatalogMailbox catalog = shard.doors.catalog();
        Address topic = shard.topic("t");
        shard.store.calls.clear();
        Subscription first = shard.await(catalog.subscribeVolatile(topic, "client", "s", null));
        assertThat(shard.await(catalog.subscribeVolatile(topic, "client", "s", null)))
                .isEqualTo(first);
        assertThat(shard.await(catalog.subscribeVolatile(topic, "", "s", null)))
                .as("a global one")
                .isNotEqualTo(first);
        isRefused(catalog.subscribeVolatile(topic, "client", "s", SteppedShard.selector("a")), "RT-2017");
        catalog.leave(first);
        catalog.leave(first);
        assertThat(shard.await(catalog.subscribeVolatile(topic, "client", "s", SteppedShard.selector("a"))))
                .isNotEqualTo(first);
        assertThat(shard.store.calls).as("nothing of it is stored").isEmpty();
    }

    private void isRefused(CompletionStage<?> asked, String code) {
        assertThatThrownBy(() -> shard.await(asked))
                .hasCauseInstanceOf(Refusal.Refused.class)
                .hasMessageContaining(code);
    }

    @Test
    void aBitIsGivenAwayAgainAtOnceAndItsFormerMessagesAreNot() {
        Address topic = shard.topic("t");
        Subscription first = shard.subscribe(topic, "first");
        shard.publish(topic, 0, 8_000); // much of it lies in the backlog by now
        shard.await(shard.doors.catalog().unsubscribe(first));
        Subscription second = shard.subscribe(topic, "second");
        assertThat(second.bit()).isEqualTo(first.bit());
        Reader reader = shard.attach(second, 100);
        shard.publish(topic, 8_000, 8_010);
        assertThat(reader.texts())
                .isEqualTo(IntStream.range(8_000, 8_010)
                        .mapToObj(Integer::toString)
                        .toList());
        reader.acceptAll();
        shard.run();
        assertThat(topic.quota().messages()).isZero();
        assertThat(shard.state.backlogMessages()).as("swept").isZero();
    }

    @Test
    void aNewHolderOfABitDoesNotReadWhatTheFormerOneLeftInTheBacklog() {
        Address topic = shard.topic("t");
        Subscription first = shard.subscribe(topic, "first");
        shard.publish(topic, 0, 8_000);
        shard.store.plan = (verb, flush) -> verb.equals("discard") ? Fault.before(Kind.NOT_WRITABLE) : null;
        shard.await(shard.doors.catalog().unsubscribe(first));
        Subscription second = shard.subscribe(topic, "second");
        assertThat(second.bit()).isEqualTo(first.bit());
        shard.publish(topic, 8_000, 16_000);
        assertThat(shard.entry(second).owedInBacklog()).isPositive();

        Reader reader = shard.attach(second, 100_000);
        shard.run();
        assertThat(reader.texts())
                .isEqualTo(IntStream.range(8_000, 16_000)
                        .mapToObj(Integer::toString)
                        .toList());
    }

    @Test
    void aDeadSubscriptionFillsTheBacklogAndTheLiveOneGoesOn() {
        Address topic = shard.topic("t");
        Subscription dead = shard.subscribe(topic, "dead");
        Subscription live = shard.subscribe(topic, "live");
        Reader reader = shard.attach(live, 1_000_000);
        int laps = 3 * SteppedShard.GEOMETRY.capacity();
        for (int i = 0; i < laps; i += 1_000) {
            shard.publish(topic, i, i + 1_000);
            reader.acceptAll();
        }
        shard.run();
        assertThat(reader.deliveries).hasSize(laps / 1_000 * 1_000 + 1_000);
        assertThat(shard.state.ring().gate()).isGreaterThan(SteppedShard.GEOMETRY.capacity());
        assertThat(shard.entry(dead).owedInBacklog()).isGreaterThan(0);

        Reader late = shard.attach(dead, 1_000_000);
        while (late.deliveries.size() < reader.deliveries.size()) {
            int before = late.deliveries.size();
            shard.run();
            late.acceptAll();
            assertThat(late.deliveries.size()).as("the backlog goes on").isGreaterThan(before);
        }
        shard.run();
        assertThat(late.texts()).as("in order").isEqualTo(reader.texts());
        assertThat(shard.state.backlogMessages()).isZero();
        assertThat(topic.quota().messages()).isZero();
        assertThat(topic.quota().bytes()).isZero();
    }

    @Test
    void aMessageSettledByOneSubscriptionBeforeTheMoveIsOverWithTheOthers() {
        Address topic = shard.topic("t");
        Subscription early = shard.subscribe(topic, "early");
        Subscription late = shard.subscribe(topic, "late");
        Reader first = shard.attach(early, 100);
        Reader second = shard.attach(late, 100);
        shard.publish(topic, 0, 100); // both have it in memory
        first.acceptAll();
        shard.run();
        shard.publish(queue, 0, 8_000); // the ring goes on, what is owed moves
        assertThat(shard.entry(late).owedInBacklog()).isEqualTo(100);
        second.acceptAll();
        shard.run();
        assertThat(topic.quota().messages()).isZero();
        assertThat(topic.quota().bytes()).isZero();
        assertThat(shard.entry(late).owedInBacklog()).isZero();
    }

    @Test
    void changesOfTheCatalogueLetFlushesGoBetween() {
        shard.store.calls.clear();
        List<CompletionStage<Address>> asked = IntStream.range(0, 100)
                .mapToObj(i -> shard.doors.catalog().ensure("many-" + i, AddressKind.QUEUE))
                .toList();
        Outcome outcome = shard.publish(queue, "a");
        shard.commitTurn();
        assertThat(outcome.accepted).as("beside 100 attaches").isTrue();
        assertThat(shard.store.calls.indexOf("flush")).isBetween(1, 4);
        shard.run();
        assertThat(asked).allMatch(stage -> stage.toCompletableFuture().isDone());
        assertThat(shard.store.calls.stream().filter("alter"::equals)).hasSize(100);
    }

    @Test
    void requestsThatChangeNoTableLetFlushesGoBetween() {
        int[] answered = {0};
        for (int i = 0; i < 90; i++) {
            shard.doors.catalog().createTemporary(AddressKind.QUEUE, null).thenRun(() -> answered[0]++);
        }
        Outcome outcome = shard.publish(queue, "a");
        shard.commitTurn();
        assertThat(outcome.accepted).isTrue();
        assertThat(answered[0]).as("answered before the flush").isBetween(1, 64);
        shard.run();
        assertThat(answered[0]).isEqualTo(90);
    }

    @Test
    void anAddressWhoseCreationIsUnknownIsCreatedOnce() {
        failOnce("alter", Fault.after(Kind.OUTCOME_UNKNOWN));
        Address made = shard.queue("made");
        failOnce("alter", Fault.before(Kind.OUTCOME_UNKNOWN));
        Address next = shard.queue("next");
        assertThat(next.id()).isGreaterThan(made.id());
        shard.crashAndRestart();
        assertThat(shard.address("made").id()).isEqualTo(made.id());
        assertThat(shard.address("next").id()).isEqualTo(next.id());
    }
}
