package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.catalog.Retention;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.SubscriptionEntry;
import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.dispatch.policy.AddressPolicy;
import io.ringtable.broker.dispatch.policy.PolicyChange;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.AddressPattern;
import io.ringtable.broker.store.StoreFailure;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/**
 * Tests which messages a topic with retention keeps, and which go: every turn is taken by hand, the clock stands until
 * it is set.
 */
class RetentionsTest extends SteppedTest {
    private static final long AGE_MS = 60_000;
    private static final long BYTES = 1_000;

    @Override
    void configure(SteppedShard unopened) {
        unopened.policies = keeping();
    }

    private static AddressPolicies keeping() {
        AddressPolicy plain = AddressPolicy.of(3, "DLQ");
        return new AddressPolicies(
                List.of(
                        new AddressPolicies.Rule("aged.#", plain.keeping(new Retention(AGE_MS, 0))),
                        new AddressPolicies.Rule("sized.#", plain.keeping(new Retention(0, BYTES)))),
                plain);
    }

    private SubscriptionEntry keeper(String topic) {
        return shard.committer.entries().byName(topic).subscriptions().stream()
                .filter(entry -> entry.subscription().isRetention())
                .findFirst()
                .orElseThrow();
    }

    private long kept(String topic) {
        return keeper(topic).owedInRing() + keeper(topic).owedInBacklog();
    }

    private boolean keeps(String topic) {
        return shard.committer.entries().byName(topic).subscriptions().stream()
                .anyMatch(entry -> entry.subscription().isRetention());
    }

    private void later(long ms) {
        shard.now += ms;
        shard.run();
    }

    private void publishBytes(Address topic, int messages, int bytes) {
        for (int i = 0; i < messages; i++) {
            shard.submit(shard.message(topic, new byte[bytes]));
        }
        shard.run();
    }

    @Test
    void topicsThatExistKeepWhatThePolicyOfNowSays() {
        Address topic = shard.topic("plain");
        shard.publish(topic, 0, 10);
        assertThat(keeps("plain")).isFalse();
        AddressPolicies before = shard.policies;
        PolicyChange change = new PolicyChange(
                null, null, null, null, null, null, null, null, null, null, AGE_MS, null, null, null, null, null);
        shard.policies = before.with(List.of(new AddressPolicies.RuntimeRule(new AddressPattern("plain"), change)));
        shard.committer.policiesChanged();
        shard.publish(topic, 10, 15);
        assertThat(kept("plain")).isEqualTo(5);
        later(AGE_MS + 1_000);
        assertThat(kept("plain")).isZero();
        shard.publish(topic, 15, 20);
        shard.policies = before;
        shard.committer.policiesChanged();
        later(1_000);
        assertThat(keeps("plain")).isFalse();
        assertThat(topic.quota().messages()).isZero();
    }

    // ---- by age

    @Test
    void messagesThatNobodySubscribedToAreKeptUntilTheirAge() {
        Address topic = shard.topic("aged.a");
        shard.publish(topic, 0, 10);
        later(AGE_MS / 2);
        shard.publish(topic, 10, 15);
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
        Address topic = shard.topic("aged.long");
        shard.publish(topic, 0, 6_000);
        shard.passALap();
        assertThat(keeper("aged.long").owedInBacklog()).isEqualTo(6_000);
        assertThat(shard.state.backlogMessages()).isEqualTo(6_000);

        later(AGE_MS);
        later(1_000);
        assertThat(kept("aged.long")).isZero();
        assertThat(shard.state.backlogMessages()).isZero();
        assertThat(topic.quota().messages()).isZero();
        assertThat(topic.quota().bytes()).isZero();
    }

    @Test
    void itGoesAfterARestartToo() {
        Address topic = shard.topic("aged.long");
        shard.publish(topic, 0, 3_000);
        shard.passALap();
        shard.publish(topic, 3_000, 3_100);
        shard.crashAndRestart();
        shard.run();
        assertThat(kept("aged.long")).isEqualTo(3_100);

        later(AGE_MS);
        later(1_000);
        assertThat(kept("aged.long")).isZero();
        assertThat(shard.state.backlogMessages()).isZero();
        shard.crashAndRestart();
        shard.run();
        assertThat(kept("aged.long")).as("what went stays away").isZero();
    }

    @Test
    void aMessageThatASubscriptionStillOwesIsNotTouched() {
        Address topic = shard.topic("aged.owed");
        Subscription dead = shard.subscribe(topic, "dead");
        shard.publish(topic, 0, 2_000);
        shard.passALap();
        shard.publish(topic, 2_000, 2_010);
        later(AGE_MS);
        later(1_000);
        assertThat(kept("aged.owed")).isZero();
        assertThat(topic.quota().messages()).isEqualTo(2_010);

        Reader reader = shard.attach(dead, 10_000);
        shard.run();
        assertThat(reader.texts()).isEqualTo(numbers(0, 2_010));
        reader.acceptAll();
        shard.run();
        assertThat(topic.quota().messages()).isZero();
        assertThat(shard.state.backlogMessages()).isZero();
    }

    @Test
    void whatIsKeptAndSettledByEverybodyElseStaysInTheBacklog() {
        Address topic = shard.topic("aged.settled");
        Subscription slow = shard.subscribe(topic, "slow");
        shard.publish(topic, 0, 2_000);
        shard.passALap();
        Reader reader = shard.attach(slow, 10_000);
        shard.run();
        reader.acceptAll();
        shard.run();
        assertThat(kept("aged.settled")).isEqualTo(2_000);
        assertThat(shard.state.backlogMessages()).isEqualTo(2_000);
        later(AGE_MS);
        later(1_000);
        assertThat(shard.state.backlogMessages()).isZero();
        assertThat(topic.quota().messages()).isZero();
    }

    @Test
    void nothingIsReadWhileNothingIsOldEnough() {
        Address topic = shard.topic("aged.quiet");
        shard.publish(topic, 0, 1_000);
        shard.passALap();
        later(1_000);
        int reads = shard.store.factsRead;
        for (int i = 0; i < 50; i++) {
            later(1_000);
        }
        assertThat(shard.store.factsRead).isEqualTo(reads);
        assertThat(kept("aged.quiet")).isEqualTo(1_000);
    }

    // ---- by bytes

    @Test
    void theOldestGoWhenThereAreMoreBytesThanAreKept() {
        Address topic = shard.topic("sized.a");
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
        Address topic = shard.topic("sized.b");
        publishBytes(topic, 10, 100);
        shard.passALap();
        shard.crashAndRestart();
        shard.run();
        Address again = shard.address("sized.b");
        publishBytes(again, 3, 100);
        later(1_000);
        assertThat(kept("sized.b")).isEqualTo(10);
        assertThat(keeper("sized.b").owedInBacklog()).isEqualTo(7);
        assertThat(again.quota().messages()).isEqualTo(10);
    }

    // ---- quota

    @Test
    void publishersDoNotWaitForRetention() {
        shard.close();
        shard.commit = SteppedSettings.COMMIT
                .with("ringtable.commit.duplicate-ids", 0, "ringtable.commit.quota-messages", 800)
                .commit();
        shard.open();
        Address topic = shard.topic("aged.full");
        for (int i = 0; i < 3_000; i += 100) {
            shard.publish(topic, i, i + 100); // fails if there is no place
            later(1_000);
        }
        assertThat(kept("aged.full")).isBetween(600L, 700L);
    }

    // ---- policies

    @Test
    void whatWasKeptGoesWithThePolicy() {
        Address topic = shard.topic("aged.gone");
        shard.publish(topic, 0, 2_000);
        shard.passALap();
        shard.publish(topic, 2_000, 2_100);
        shard.crash();
        shard.policies = SteppedSettings.PLAIN;
        shard.begin();
        shard.run();
        assertThat(keeps("aged.gone")).isFalse();
        assertThat(shard.state.backlogMessages()).isZero();
        assertThat(shard.address("aged.gone").quota().messages()).isZero();
        shard.publish(shard.address("aged.gone"), 0, 10);
        assertThat(shard.address("aged.gone").quota().messages())
                .as("nobody owes them")
                .isZero();
    }

    @Test
    void aTopicThatIsThereKeepsItsMessagesFromTheNextStartOn() {
        shard.crash();
        shard.policies = SteppedSettings.PLAIN;
        shard.begin();
        Address topic = shard.topic("aged.new");
        Subscription reader = shard.subscribe(topic, "reader");
        shard.publish(topic, 0, 10);
        shard.crash();
        shard.policies = keeping();
        shard.begin();
        shard.run();
        assertThat(kept("aged.new")).isZero();
        shard.publish(shard.address("aged.new"), 10, 13);
        assertThat(kept("aged.new")).isEqualTo(3);
        assertThat(shard.entry(reader).owedInRing()).isEqualTo(13);
    }

    @Test
    void queuesKeepNothing() {
        shard.publish(shard.queue("aged.queue"), 0, 10);
        assertThat(shard.committer.entries().byName("aged.queue").subscriptions())
                .hasSize(1);
    }

    // ---- its name is nobody's

    @Test
    void nobodyReadsOrDeletesTheBuiltInSubscription() {
        Address topic = shard.topic("aged.mine");
        isRefused(shard.doors.catalog().subscribe(topic, "", Subscription.RETENTION, null, false, true), "RT-2023");
        assertThat(shard.doors.lookup().find("", Subscription.RETENTION)).isNull();
    }

    @Test
    void aTimeIsNoPartOfAName() {
        isRefused(shard.doors.catalog().ensure("a?since=2026-11-21T10:00:00Z", AddressKind.TOPIC), "RT-2024");
    }

    @Test
    void whatIsNotKeptIsNotServed() {
        Address topic = shard.topic("plain");
        isRefused(shard.doors.catalog().subscribe(topic, "client", "s", null, false, true, Instant.EPOCH), "RT-2027");
        isRefused(
                shard.doors.catalog().subscribe(shard.topic("aged.b"), "client", "s", null, true, true, Instant.EPOCH),
                "RT-2025");
    }

    private void isRefused(CompletionStage<?> stage, String code) {
        assertThatThrownBy(() -> shard.await(stage)).hasMessageContaining(code);
    }

    // ---- a store that fails

    @Test
    void aStoreThatTakesNoWritesIsWaitedFor() {
        Address topic = shard.topic("aged.stuck");
        shard.publish(topic, 0, 100);
        shard.store.plan =
                (verb, flush) -> verb.equals("alter") ? FaultyStore.Fault.before(StoreFailure.Kind.NOT_WRITABLE) : null;
        later(AGE_MS);
        assertThat(kept("aged.stuck")).isEqualTo(100);
        shard.store.plan = FaultyStore.NOTHING_FAILS;
        later(1_000);
        assertThat(kept("aged.stuck")).isZero();
    }

    @Test
    void anOutcomeThatIsUnknownIsReadFromTheTables() {
        for (boolean after : new boolean[] {false, true}) {
            Address topic = shard.topic("aged.unknown-" + after);
            shard.publish(topic, 0, 100);
            boolean[] failed = {false};
            shard.store.plan = (verb, flush) -> {
                if (!verb.equals("alter") || failed[0]) {
                    return null;
                }
                failed[0] = true;
                return new FaultyStore.Fault(StoreFailure.Kind.OUTCOME_UNKNOWN, after);
            };
            later(AGE_MS);
            assertThat(failed[0]).isTrue();
            shard.store.plan = FaultyStore.NOTHING_FAILS;
            later(1_000);
            assertThat(kept(topic.name())).isZero();
            assertThat(topic.quota().messages()).isZero();
        }
    }
}
