package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.catalog.Retention;
import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.SubscriptionEntry;
import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.dispatch.policy.AddressPolicy;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.store.StoreFailure;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A subscription that begins in the past gets everything that is kept, once and in order, and then what is published.
 */
class ReplaysTest extends SteppedTest {
    private static final long AGE_MS = 3_600_000;

    @Override
    void configure(SteppedShard unopened) {
        AddressPolicy plain = AddressPolicy.of(3, "DLQ");
        unopened.policies = new AddressPolicies(
                List.of(new AddressPolicies.Rule("kept.#", plain.keeping(new Retention(AGE_MS, 0)))), plain);
    }

    private Subscription replay(Address topic, String name, Selector selector, long since) {
        Subscription subscription = shard.await(shard.doors
                .catalog()
                .subscribe(topic, "client", name, selector, false, true, Instant.ofEpochMilli(since)));
        shard.doors.catalog().leave(subscription);
        return subscription;
    }

    private Subscription replay(Address topic, String name) {
        return replay(topic, name, null, 0);
    }

    /** Asked for, and not a turn taken. */
    private void ask(Address topic, String name) {
        shard.doors.catalog().subscribe(topic, "client", name, null, false, true, Instant.EPOCH);
    }

    /** Everything that it gets, settled. */
    private List<String> consume(Subscription subscription) {
        Reader reader = shard.attach(subscription, 1_000_000);
        List<String> texts = consume(reader);
        reader.detach(false);
        shard.run();
        return texts;
    }

    private List<String> consume(Reader reader) {
        do {
            reader.acceptAll();
            shard.run();
        } while (!reader.unsettled.isEmpty());
        return reader.texts();
    }

    private long owed(Subscription subscription) {
        SubscriptionEntry entry = shard.entry(subscription);
        return entry.owedInRing() + entry.owedInBacklog();
    }

    @Test
    void aTopicThatIsDeletedMeanwhileTakesWhatItKeepsAndItsReplaysWithIt() {
        Address topic = shard.topic("kept.a");
        shard.publish(topic, 0, 20_000);
        CatalogMailbox catalog = shard.doors.catalog();
        assertThatThrownBy(() -> shard.await(catalog.deleteStored(topic, false)))
                .hasMessageContaining("(messages kept: 20000)");
        Reader reader = shard.attach(replay(topic, "late"), 10);
        shard.run();
        assertThat(reader.deliveries).hasSize(10);
        assertThatThrownBy(() -> shard.await(catalog.deleteStored(topic, false)))
                .hasMessageContaining("(durable subscriptions: 1)");

        shard.await(catalog.deleteStored(topic, true));
        assertThat(reader.ended.code()).isEqualTo("RT-2202");
        assertThat(topic.quota().messages()).isZero();
        assertThat(shard.state.backlogMessages()).isZero();
        Address again = shard.topic("kept.a");
        shard.publish(again, 0, 3);
        assertThat(consume(replay(again, "late"))).isEqualTo(numbers(0, 3));
        shard.passALap();
        shard.crashAndRestart();
        assertThat(shard.address("kept.a")).isEqualTo(again);
    }

    // ---- what it gets

    @Test
    void itGetsWhatOthersHaveConsumedAndThenWhatIsPublished() {
        Address topic = shard.topic("kept.a");
        Subscription other = shard.subscribe(topic, "other");
        shard.publish(topic, 0, 2_000);
        assertThat(consume(other)).isEqualTo(numbers(0, 2_000));

        Subscription late = replay(topic, "late");
        Reader reader = shard.attach(late, 1_000_000);
        assertThat(consume(reader)).isEqualTo(numbers(0, 2_000));
        assertThat(reader.deliveries).noneMatch(delivery -> delivery.redelivered());
        shard.publish(topic, 2_000, 2_100);
        assertThat(consume(reader)).isEqualTo(numbers(0, 2_100));
        assertThat(owed(late)).isZero();
        assertThat(consume(other)).as("copies are owed by it alone").isEqualTo(numbers(2_000, 2_100));
    }

    @Test
    void itBeginsAtATimeWhereverThatLies() {
        Address topic = shard.topic("kept.times");
        long begun = shard.now;
        for (int i = 0; i < 3_000; i++) {
            shard.now = begun + i / 2;
            shard.publish(topic, Integer.toString(i));
        }
        shard.run();
        shard.passALap();
        for (int i = 3_000; i < 4_000; i++) {
            shard.now = begun + i / 2;
            shard.publish(topic, Integer.toString(i));
        }
        shard.run();

        for (int first : new int[] {0, 1, 750, 1_499, 1_500, 1_501, 1_999}) {
            assertThat(consume(replay(topic, "from-" + first, null, begun + first)))
                    .as("from %s ms on", first)
                    .isEqualTo(numbers(2 * first, 4_000));
        }
        assertThat(consume(replay(topic, "before", null, begun - 1_000_000)))
                .as("begins with the oldest that is kept")
                .isEqualTo(numbers(0, 4_000));
        assertThat(consume(replay(topic, "after", null, begun + 1_000_000))).isEmpty();
    }

    @Test
    void aTimeAfterAllThatHasLeftTheRingIsLookedForInTheRing() {
        Address topic = shard.topic("kept.ring");
        shard.publish(topic, 0, 100);
        shard.passALap();
        shard.now += 1_000;
        shard.publish(topic, 100, 110);
        shard.now += 1_000;
        shard.publish(topic, 110, 120);
        assertThat(consume(replay(topic, "first", null, shard.now - 2_000))).isEqualTo(numbers(0, 120));
        assertThat(consume(replay(topic, "second", null, shard.now - 1_999))).isEqualTo(numbers(100, 120));
        assertThat(consume(replay(topic, "third", null, shard.now - 1_000))).isEqualTo(numbers(100, 120));
        assertThat(consume(replay(topic, "fourth", null, shard.now))).isEqualTo(numbers(110, 120));
        assertThat(consume(replay(topic, "fifth", null, shard.now + 1))).isEmpty();
    }

    @Test
    void nothingIsMissedAndNothingComesTwiceWherePublishersGoOn() {
        Address topic = shard.topic("kept.busy");
        shard.publish(topic, 0, 3_000);
        shard.passALap();
        int published = 3_000;
        ask(topic, "late");
        Reader reader = null;
        for (int turn = 0; turn < 60; turn++) {
            for (int i = 0; i < 700; i++) { // more in a turn than a portion takes
                shard.publish(topic, Integer.toString(published++));
            }
            shard.commitTurn();
            if (reader == null) {
                reader = shard.attach(shard.subscription("late"), 1_000_000);
            }
            for (int read = 0; read < 4; read++) { // it consumes as fast as others publish
                shard.dispatchTurn();
                shard.readTurn();
                shard.dispatchTurn();
                reader.acceptAll();
            }
        }
        assertThat(owed(shard.subscription("late")))
                .as("it has caught up with publishers that never rest")
                .isLessThan(3_000);
        assertThat(consume(reader)).isEqualTo(numbers(0, published));
    }

    @Test
    void onlyWhatItWantsIsCopied() {
        Address topic = shard.topic("kept.selected");
        shard.publish(topic, 0, 200);
        Subscription late = replay(topic, "late", SteppedShard.selector("1"), 0);
        assertThat(consume(late))
                .isEqualTo(numbers(0, 200).stream()
                        .filter(text -> text.startsWith("1"))
                        .toList());
        shard.publish(topic, 200, 211);
        shard.publish(topic, "17");
        assertThat(consume(late)).containsExactly("17");
    }

    @Test
    void whatHasExpiredMeanwhileIsNotServed() {
        Address topic = shard.topic("kept.expired");
        byte[] body = SteppedShard.bytes("short");
        shard.submit(new Message(topic, shard.now, Message.PRIORITY_NORMAL, shard.now + 10, 0, body, 0, null));
        shard.publish(topic, "long");
        shard.run();
        shard.now += 100;
        assertThat(consume(replay(topic, "late"))).containsExactly("long");
    }

    @Test
    void largeBodiesAreNotCopiedAndStayAsLongAsAnybodyNeedsThem() {
        Address topic = shard.topic("kept.large");
        byte[] body = new byte[100_000];
        Arrays.fill(body, (byte) 'x');
        Subscription other = shard.subscribe(topic, "other");
        shard.submit(shard.message(topic, body));
        shard.run();
        Subscription late = replay(topic, "late");
        assertThat(owed(late)).isEqualTo(1);
        assertThat(consume(other)).hasSize(1);
        shard.now += AGE_MS + 1_000;
        shard.run();
        shard.passALap();
        assertThat(shard.state.backlogMessages()).as("the copy alone").isEqualTo(1);
        assertThat(consume(late)).containsExactly("x".repeat(100_000));
        Subscription second = replay(topic, "second");
        shard.submit(shard.message(topic, body));
        shard.run();
        assertThat(consume(second)).containsExactly("x".repeat(100_000));
        assertThat(consume(late)).as("its body is the same").containsExactly("x".repeat(100_000));
    }

    @Test
    void whoSaysTheSameAgainIsNotServedAgain() {
        Address topic = shard.topic("kept.again");
        shard.publish(topic, 0, 10);
        assertThat(consume(replay(topic, "late"))).hasSize(10);
        assertThat(consume(replay(topic, "late"))).isEmpty();
        shard.crashAndRestart();
        assertThat(consume(replay(shard.address("kept.again"), "late"))).isEmpty();
    }

    // ---- bounds

    @Test
    void copiesAreMadeAsTheyAreConsumedAndNothingGoesMeanwhile() {
        Address topic = shard.topic("kept.slow");
        shard.publish(topic, 0, 20_000);
        shard.run();
        Subscription late = replay(topic, "late");
        assertThat(owed(late)).as("a window of copies, not all").isBetween(3_000L, 5_000L);

        shard.now += 2 * AGE_MS;
        shard.run();
        shard.publish(topic, 20_000, 20_100);
        assertThat(consume(late)).isEqualTo(numbers(0, 20_100));
        shard.now += 1_000;
        shard.run();
        assertThat(topic.quota().messages())
                .as("what was kept for it alone has gone")
                .isEqualTo(100);
    }

    @Test
    void theRestIsServedAlthoughThePolicyHasGone() {
        Address topic = shard.topic("kept.removed");
        shard.publish(topic, 0, 10_000);
        Subscription late = replay(topic, "late");
        shard.crash();
        shard.policies = SteppedSettings.PLAIN;
        shard.begin();
        assertThat(consume(late)).isEqualTo(numbers(0, 10_000));
        shard.now += 1_000;
        shard.run();
        Address again = shard.address("kept.removed");
        assertThat(shard.doors.lookup().subscriptionsOf(again)).containsExactly(late);
        assertThat(again.quota().messages()).isZero();
        shard.publish(again, 0, 5);
        assertThat(consume(late)).isEqualTo(numbers(0, 5));
        assertThatThrownBy(() -> replay(again, "another")).hasMessageContaining("RT-2027");
    }

    @Test
    void aSubscriptionThatIsDeletedMeanwhileLeavesNothing() {
        Address topic = shard.topic("kept.deleted");
        shard.publish(topic, 0, 10_000);
        Subscription late = replay(topic, "late");
        shard.await(shard.doors.catalog().unsubscribe(late));
        shard.run();
        assertThat(topic.quota().messages()).isEqualTo(10_000);
        shard.crashAndRestart();
        shard.run();
        assertThat(consume(replay(shard.address("kept.deleted"), "late"))).isEqualTo(numbers(0, 10_000));
    }

    // ---- crashes

    @ParameterizedTest(name = "after the call: {0}")
    @ValueSource(booleans = {false, true})
    void aBrokerThatDiesAnywhereGoesOnWhereItWas(boolean after) {
        for (int call = 0; call < 14; call++) {
            Address topic = shard.topic("kept.crash-" + after + call);
            shard.publish(topic, 0, 3_000);
            int[] left = {call};
            shard.store.plan =
                    (verb, flush) -> verb.equals("flush") || verb.equals("alter") ? crashAt(left, after) : null;
            List<String> seen = new ArrayList<>();
            try {
                ask(topic, "late-" + call);
                shard.run();
                Reader reader = shard.attach(shard.subscription("late-" + call), 1_000);
                shard.run();
                seen.addAll(reader.texts());
            } catch (FaultyStore.Crash crash) {
                // as the loop wants it
            }
            shard.crashAndRestart();
            shard.publish(shard.address(topic.name()), 3_000, 3_010);
            Subscription late = replay(shard.address(topic.name()), "late-" + call);
            assertThat(consume(late)).as("crash at call %s", call).isEqualTo(numbers(0, 3_010));
            assertThat(seen).as("what came before the crash").isEqualTo(numbers(0, seen.size()));
            assertThat(owed(late)).isZero();
        }
    }

    private static FaultyStore.Fault crashAt(int[] left, boolean after) {
        return left[0]-- == 0 ? FaultyStore.Fault.crash(after) : null;
    }

    @ParameterizedTest(name = "after the call: {0}")
    @ValueSource(booleans = {false, true})
    void aStoreThatFailsAnywhereMakesNoDuplicatesAndNoHoles(boolean after) {
        StoreFailure.Kind[] kinds = {StoreFailure.Kind.OUTCOME_UNKNOWN, StoreFailure.Kind.NOT_WRITABLE};
        for (int call = 0; call < 14; call++) {
            Address topic = shard.topic("kept.fails-" + after + call);
            shard.publish(topic, 0, 3_000);
            int[] left = {call};
            StoreFailure.Kind kind = kinds[after ? 0 : call % kinds.length];
            ask(topic, "late-" + call);
            if (kind == StoreFailure.Kind.NOT_WRITABLE) {
                shard.commitTurn(); // what fails then is a refusal
            }
            shard.store.plan = (verb, flush) -> (verb.equals("flush") || verb.equals("alter")) && left[0]-- == 0
                    ? new FaultyStore.Fault(kind, after)
                    : null;
            shard.run();
            shard.now += 2_000;
            shard.run();
            Subscription late = shard.subscription("late-" + call);
            shard.doors.catalog().leave(late);
            assertThat(consume(late)).as("%s at call %s", kind, call).isEqualTo(numbers(0, 3_000));
            shard.store.plan = FaultyStore.NOTHING_FAILS;
            shard.publish(topic, 3_000, 3_010);
            assertThat(consume(late)).isEqualTo(numbers(3_000, 3_010));
        }
    }

    @Test
    void aReplayThatAnEarlierBrokerHadBegunGoesOnWhereItWas() throws SQLException {
        Address topic = shard.topic("kept.a");
        shard.publish(topic, 0, 10_000);
        Subscription subscription = replay(topic, "late");
        Reader reader = shard.attach(subscription, 3_000);
        shard.run();
        reader.acceptAll();
        shard.run();
        assertThat(reader.texts()).isEqualTo(numbers(0, 3_000));
        shard.crash();
        shard.store.close();
        EarlierSchema.hideReplaysAmongTheProducers(directory.resolve("ringtable.db"));

        shard.open();
        topic = shard.address("kept.a");
        shard.publish(topic, 10_000, 10_100);
        assertThat(consume(shard.subscription("late"))).isEqualTo(numbers(3_000, 10_100));
    }
}
