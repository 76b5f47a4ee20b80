package io.ringtable.broker.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.catalog.Retention;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.SubscriptionEntry;
import io.ringtable.broker.catalog.change.CatalogSettings;
import io.ringtable.broker.commit.CommitSettings;
import io.ringtable.broker.dispatch.DispatchSettings;
import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.dispatch.policy.AddressPolicy;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.store.StoreFailure;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** What a topic with retention keeps, and what goes: every turn is taken by hand, the clock stands until it is set. */
class RetentionsTest extends SteppedTest {
    private static final long AGE_MS = 60_000;
    private static final long BYTES = 1_000;

    @Override
    void configure(SteppedEngine unopened) {
        unopened.dispatch = keeping();
    }

    private static DispatchSettings keeping() {
        AddressPolicy plain = AddressPolicy.of(3, "DLQ");
        return settings(new AddressPolicies(
                List.of(
                        new AddressPolicies.Rule("aged.#", plain.keeping(new Retention(AGE_MS, 0))),
                        new AddressPolicies.Rule("sized.#", plain.keeping(new Retention(0, BYTES)))),
                plain));
    }

    private static DispatchSettings keepingNothing() {
        return settings(DispatchSettings.policies(3, "DLQ"));
    }

    private static DispatchSettings settings(AddressPolicies policies) {
        return new DispatchSettings(64L << 20, 1_000, 16 << 20, 1_000, policies);
    }

    private SubscriptionEntry keeper(String topic) {
        return engine.committer.entries().byName(topic).subscriptions().stream()
                .filter(entry -> entry.subscription().isRetention())
                .findFirst()
                .orElseThrow();
    }

    private long kept(String topic) {
        return keeper(topic).owedInRing() + keeper(topic).owedInBacklog();
    }

    private boolean keeps(String topic) {
        return engine.committer.entries().byName(topic).subscriptions().stream()
                .anyMatch(entry -> entry.subscription().isRetention());
    }

    private void later(long ms) {
        engine.now += ms;
        engine.run();
    }

    private void publishBytes(Address topic, int messages, int bytes) {
        for (int i = 0; i < messages; i++) {
            engine.submit(engine.message(topic, new byte[bytes]));
        }
        engine.run();
    }

    // ---- by age

    @Test
    void messagesThatNobodySubscribedToAreKeptUntilTheirAge() {
        Address topic = engine.topic("aged.a");
        engine.publish(topic, 0, 10);
        later(AGE_MS / 2);
        engine.publish(topic, 10, 15);
        later(AGE_MS / 2 - 1);
        assertThat(kept("aged.a")).isEqualTo(15);
        assertThat(topic.quota().messages()).isEqualTo(15);

        later(1_000);
        assertThat(kept("aged.a")).isEqualTo(5);
        assertThat(topic.quota().messages()).as("they give their places back").isEqualTo(5);
        later(AGE_MS);
        assertThat(kept("aged.a")).isZero();
        assertThat(topic.quota().messages()).isZero();
        assertThat(topic.quota().bytes()).isZero();
    }

    @Test
    void whatHasLeftTheRingIsKeptAndGoesFromTheBacklog() {
        Address topic = engine.topic("aged.long");
        engine.publish(topic, 0, 6_000);
        engine.passALap();
        assertThat(keeper("aged.long").owedInBacklog()).isEqualTo(6_000);
        assertThat(engine.state.backlogMessages()).isEqualTo(6_000);

        later(AGE_MS);
        later(1_000);
        assertThat(kept("aged.long")).isZero();
        assertThat(engine.state.backlogMessages()).isZero();
        assertThat(topic.quota().messages()).isZero();
        assertThat(topic.quota().bytes()).isZero();
    }

    @Test
    void itGoesAfterARestartToo() {
        Address topic = engine.topic("aged.long");
        engine.publish(topic, 0, 3_000);
        engine.passALap();
        engine.publish(topic, 3_000, 3_100);
        engine.crashAndRestart();
        engine.run();
        assertThat(kept("aged.long")).isEqualTo(3_100);

        later(AGE_MS);
        later(1_000);
        assertThat(kept("aged.long")).isZero();
        assertThat(engine.state.backlogMessages()).isZero();
        engine.crashAndRestart();
        engine.run();
        assertThat(kept("aged.long")).as("what went stays away").isZero();
    }

    @Test
    void aMessageThatASubscriptionStillOwesIsNotTouched() {
        Address topic = engine.topic("aged.owed");
        Subscription dead = engine.subscribe(topic, "dead");
        engine.publish(topic, 0, 2_000);
        engine.passALap();
        engine.publish(topic, 2_000, 2_010);
        later(AGE_MS);
        later(1_000);
        assertThat(kept("aged.owed")).isZero();
        assertThat(topic.quota().messages()).isEqualTo(2_010);

        Reader reader = engine.attach(dead, 10_000);
        engine.run();
        assertThat(reader.texts()).isEqualTo(numbers(0, 2_010));
        reader.acceptAll();
        engine.run();
        assertThat(topic.quota().messages()).isZero();
        assertThat(engine.state.backlogMessages()).isZero();
    }

    @Test
    void whatIsKeptAndSettledByEverybodyElseStaysInTheBacklog() {
        Address topic = engine.topic("aged.settled");
        Subscription slow = engine.subscribe(topic, "slow");
        engine.publish(topic, 0, 2_000);
        engine.passALap();
        Reader reader = engine.attach(slow, 10_000);
        engine.run();
        reader.acceptAll();
        engine.run();
        assertThat(kept("aged.settled")).isEqualTo(2_000);
        assertThat(engine.state.backlogMessages()).isEqualTo(2_000);
        later(AGE_MS);
        later(1_000);
        assertThat(engine.state.backlogMessages()).isZero();
        assertThat(topic.quota().messages()).isZero();
    }

    @Test
    void nothingIsReadWhileNothingIsOldEnough() {
        Address topic = engine.topic("aged.quiet");
        engine.publish(topic, 0, 1_000);
        engine.passALap();
        later(1_000);
        int reads = engine.store.factsRead;
        for (int i = 0; i < 50; i++) {
            later(1_000);
        }
        assertThat(engine.store.factsRead).isEqualTo(reads);
        assertThat(kept("aged.quiet")).isEqualTo(1_000);
    }

    // ---- by bytes

    @Test
    void theOldestGoWhenThereAreMoreBytesThanAreKept() {
        Address topic = engine.topic("sized.a");
        publishBytes(topic, 10, 100);
        later(1_000);
        assertThat(kept("sized.a")).isEqualTo(10);
        publishBytes(topic, 5, 100);
        later(1_000);
        assertThat(kept("sized.a")).isEqualTo(10);
        publishBytes(topic, 1, 901);
        later(1_000);
        assertThat(kept("sized.a")).as("no other has room beside it").isEqualTo(1);
        assertThat(topic.quota().bytes()).isEqualTo(901);
    }

    @Test
    void bytesOfTheBacklogAreCountedAnewAfterARestart() {
        Address topic = engine.topic("sized.b");
        publishBytes(topic, 10, 100);
        engine.passALap();
        engine.crashAndRestart();
        engine.run();
        Address again = engine.address("sized.b");
        publishBytes(again, 3, 100);
        later(1_000);
        assertThat(kept("sized.b")).isEqualTo(10);
        assertThat(keeper("sized.b").owedInBacklog()).isEqualTo(7);
        assertThat(again.quota().messages()).isEqualTo(10);
    }

    // ---- quota

    @Test
    void publishersDoNotWaitForRetention() {
        engine.close();
        CommitSettings some = SteppedEngine.commit(0, 10, Duration.ofDays(7));
        engine.commit = new CommitSettings(
                some.inboxWorks(),
                some.inboxBytesMax(),
                some.batchMessagesMax(),
                some.batchBytesMax(),
                some.lingerMicros(),
                some.settleDelay(),
                new CatalogSettings(
                        800,
                        some.catalog().quotaBytes(),
                        some.catalog().addressesMax(),
                        some.catalog().temporaryAddressesMax(),
                        some.catalog().creation()),
                some.deduplication());
        engine.open();
        Address topic = engine.topic("aged.full");
        for (int i = 0; i < 3_000; i += 100) {
            engine.publish(topic, i, i + 100); // fails if there is no place
            later(1_000);
        }
        assertThat(kept("aged.full")).isBetween(600L, 700L);
    }

    // ---- policies

    @Test
    void whatWasKeptGoesWithThePolicy() {
        Address topic = engine.topic("aged.gone");
        engine.publish(topic, 0, 2_000);
        engine.passALap();
        engine.publish(topic, 2_000, 2_100);
        engine.crash();
        engine.dispatch = keepingNothing();
        engine.begin();
        engine.run();
        assertThat(keeps("aged.gone")).isFalse();
        assertThat(engine.state.backlogMessages()).isZero();
        assertThat(engine.address("aged.gone").quota().messages()).isZero();
        engine.publish(engine.address("aged.gone"), 0, 10);
        assertThat(engine.address("aged.gone").quota().messages())
                .as("nobody owes them")
                .isZero();
    }

    @Test
    void aTopicThatIsThereKeepsItsMessagesFromTheNextStartOn() {
        engine.crash();
        engine.dispatch = keepingNothing();
        engine.begin();
        Address topic = engine.topic("aged.new");
        Subscription reader = engine.subscribe(topic, "reader");
        engine.publish(topic, 0, 10);
        engine.crash();
        engine.dispatch = keeping();
        engine.begin();
        engine.run();
        assertThat(kept("aged.new")).isZero();
        engine.publish(engine.address("aged.new"), 10, 13);
        assertThat(kept("aged.new")).isEqualTo(3);
        assertThat(engine.entry(reader).owedInRing()).isEqualTo(13);
    }

    @Test
    void queuesKeepNothing() {
        engine.publish(engine.queue("aged.queue"), 0, 10);
        assertThat(engine.committer.entries().byName("aged.queue").subscriptions())
                .hasSize(1);
    }

    // ---- its name is nobody's

    @Test
    void nobodyReadsOrDeletesTheBuiltInSubscription() {
        Address topic = engine.topic("aged.mine");
        isRefused(engine.doors.catalog().subscribe(topic, "", Subscription.RETENTION, null, false, true), "RT-2023");
        assertThat(engine.doors.lookup().find("", Subscription.RETENTION)).isNull();
    }

    @Test
    void aTimeIsNoPartOfAName() {
        isRefused(engine.doors.catalog().ensure("a?since=2026-11-21T10:00:00Z", AddressKind.TOPIC), "RT-2024");
    }

    @Test
    void whatIsNotKeptIsNotServed() {
        Address topic = engine.topic("plain");
        isRefused(engine.doors.catalog().subscribe(topic, "client", "s", null, false, true, Instant.EPOCH), "RT-2027");
        isRefused(
                engine.doors
                        .catalog()
                        .subscribe(engine.topic("aged.b"), "client", "s", null, true, true, Instant.EPOCH),
                "RT-2025");
    }

    private void isRefused(CompletionStage<?> stage, String code) {
        assertThatThrownBy(() -> engine.await(stage)).hasMessageContaining(code);
    }

    // ---- a store that fails

    @Test
    void aStoreThatTakesNoWritesIsWaitedFor() {
        Address topic = engine.topic("aged.stuck");
        engine.publish(topic, 0, 100);
        engine.store.plan =
                (verb, flush) -> verb.equals("alter") ? FaultyStore.Fault.before(StoreFailure.Kind.NOT_WRITABLE) : null;
        later(AGE_MS);
        assertThat(kept("aged.stuck")).isEqualTo(100);
        engine.store.plan = FaultyStore.NOTHING_FAILS;
        later(1_000);
        assertThat(kept("aged.stuck")).isZero();
    }

    @Test
    void anOutcomeThatIsUnknownIsReadFromTheTables() {
        for (boolean after : new boolean[] {false, true}) {
            Address topic = engine.topic("aged.unknown-" + after);
            engine.publish(topic, 0, 100);
            boolean[] failed = {false};
            engine.store.plan = (verb, flush) -> {
                if (!verb.equals("alter") || failed[0]) {
                    return null;
                }
                failed[0] = true;
                return new FaultyStore.Fault(StoreFailure.Kind.OUTCOME_UNKNOWN, after);
            };
            later(AGE_MS);
            assertThat(failed[0]).isTrue();
            engine.store.plan = FaultyStore.NOTHING_FAILS;
            later(1_000);
            assertThat(kept(topic.name())).isZero();
            assertThat(topic.quota().messages()).isZero();
        }
    }
}
