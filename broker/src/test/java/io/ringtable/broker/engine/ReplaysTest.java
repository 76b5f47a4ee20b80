package io.ringtable.broker.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.catalog.CatalogMailbox;
import io.ringtable.broker.catalog.Retention;
import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.catalog.SubscriptionEntry;
import io.ringtable.broker.dispatch.DispatchSettings;
import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.dispatch.policy.AddressPolicy;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.store.StoreFailure;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A subscription that begins in the past gets everything that is kept, once and in order, and then what is published. */
class ReplaysTest extends SteppedTest {
    private static final long AGE_MS = 3_600_000;

    @Override
    void configure(SteppedEngine unopened) {
        AddressPolicy plain = AddressPolicy.of(3, "DLQ");
        unopened.dispatch = new DispatchSettings(
                64L << 20,
                1_000,
                16 << 20,
                1_000,
                new AddressPolicies(
                        List.of(new AddressPolicies.Rule("kept.#", plain.keeping(new Retention(AGE_MS, 0)))), plain));
    }

    private Subscription replay(Address topic, String name, Selector selector, long since) {
        Subscription subscription = engine.await(engine.doors
                .catalog()
                .subscribe(topic, "client", name, selector, false, true, Instant.ofEpochMilli(since)));
        engine.doors.catalog().leave(subscription);
        return subscription;
    }

    private Subscription replay(Address topic, String name) {
        return replay(topic, name, null, 0);
    }

    /** Asked for, and not a turn taken. */
    private void ask(Address topic, String name) {
        engine.doors.catalog().subscribe(topic, "client", name, null, false, true, Instant.EPOCH);
    }

    /** Everything that it gets, settled. */
    private List<String> consume(Subscription subscription) {
        Reader reader = engine.attach(subscription, 1_000_000);
        List<String> texts = consume(reader);
        reader.detach(false);
        engine.run();
        return texts;
    }

    private List<String> consume(Reader reader) {
        do {
            reader.acceptAll();
            engine.run();
        } while (!reader.unsettled.isEmpty());
        return reader.texts();
    }

    private long owed(Subscription subscription) {
        SubscriptionEntry entry = engine.entry(subscription);
        return entry.owedInRing() + entry.owedInBacklog();
    }

    @Test
    void aTopicThatIsDeletedMeanwhileTakesWhatItKeepsAndItsReplaysWithIt() {
        Address topic = engine.topic("kept.a");
        engine.publish(topic, 0, 20_000);
        CatalogMailbox catalog = engine.doors.catalog();
        assertThatThrownBy(() -> engine.await(catalog.deleteStored(topic, false)))
                .hasMessageContaining("(messages kept: 20000)");
        Reader reader = engine.attach(replay(topic, "late"), 10);
        engine.run();
        assertThat(reader.deliveries).hasSize(10);
        assertThatThrownBy(() -> engine.await(catalog.deleteStored(topic, false)))
                .hasMessageContaining("(durable subscriptions: 1)");

        engine.await(catalog.deleteStored(topic, true));
        assertThat(reader.ended.code()).isEqualTo("RT-2202");
        assertThat(topic.quota().messages()).isZero();
        assertThat(engine.state.backlogMessages()).isZero();
        Address again = engine.topic("kept.a");
        engine.publish(again, 0, 3);
        assertThat(consume(replay(again, "late"))).isEqualTo(numbers(0, 3));
        engine.passALap();
        engine.crashAndRestart();
        assertThat(engine.address("kept.a")).isEqualTo(again);
    }

    // ---- what it gets

    @Test
    void itGetsWhatOthersHaveConsumedAndThenWhatIsPublished() {
        Address topic = engine.topic("kept.a");
        Subscription other = engine.subscribe(topic, "other");
        engine.publish(topic, 0, 2_000);
        assertThat(consume(other)).isEqualTo(numbers(0, 2_000));

        Subscription late = replay(topic, "late");
        Reader reader = engine.attach(late, 1_000_000);
        assertThat(consume(reader)).isEqualTo(numbers(0, 2_000));
        assertThat(reader.deliveries).noneMatch(delivery -> delivery.redelivered());
        engine.publish(topic, 2_000, 2_100);
        assertThat(consume(reader)).isEqualTo(numbers(0, 2_100));
        assertThat(owed(late)).isZero();
        assertThat(consume(other)).as("copies are owed by it alone").isEqualTo(numbers(2_000, 2_100));
    }

    @Test
    void itBeginsAtATimeWhereverThatLies() {
        Address topic = engine.topic("kept.times");
        long begun = engine.now;
        for (int i = 0; i < 3_000; i++) {
            engine.now = begun + i / 2;
            engine.publish(topic, Integer.toString(i));
        }
        engine.run();
        engine.passALap();
        for (int i = 3_000; i < 4_000; i++) {
            engine.now = begun + i / 2;
            engine.publish(topic, Integer.toString(i));
        }
        engine.run();

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
        Address topic = engine.topic("kept.ring");
        engine.publish(topic, 0, 100);
        engine.passALap();
        engine.now += 1_000;
        engine.publish(topic, 100, 110);
        engine.now += 1_000;
        engine.publish(topic, 110, 120);
        assertThat(consume(replay(topic, "first", null, engine.now - 2_000))).isEqualTo(numbers(0, 120));
        assertThat(consume(replay(topic, "second", null, engine.now - 1_999))).isEqualTo(numbers(100, 120));
        assertThat(consume(replay(topic, "third", null, engine.now - 1_000))).isEqualTo(numbers(100, 120));
        assertThat(consume(replay(topic, "fourth", null, engine.now))).isEqualTo(numbers(110, 120));
        assertThat(consume(replay(topic, "fifth", null, engine.now + 1))).isEmpty();
    }

    @Test
    void nothingIsMissedAndNothingComesTwiceWherePublishersGoOn() {
        Address topic = engine.topic("kept.busy");
        engine.publish(topic, 0, 3_000);
        engine.passALap();
        int published = 3_000;
        ask(topic, "late");
        Reader reader = null;
        for (int turn = 0; turn < 60; turn++) {
            for (int i = 0; i < 700; i++) { // more in a turn than a portion takes
                engine.publish(topic, Integer.toString(published++));
            }
            engine.commitTurn();
            if (reader == null) {
                reader = engine.attach(engine.subscription("late"), 1_000_000);
            }
            for (int read = 0; read < 4; read++) { // it consumes as fast as others publish
                engine.dispatchTurn();
                engine.readTurn();
                engine.dispatchTurn();
                reader.acceptAll();
            }
        }
        assertThat(owed(engine.subscription("late")))
                .as("it has caught up with publishers that never rest")
                .isLessThan(3_000);
        assertThat(consume(reader)).isEqualTo(numbers(0, published));
    }

    @Test
    void onlyWhatItWantsIsCopied() {
        Address topic = engine.topic("kept.selected");
        engine.publish(topic, 0, 200);
        Subscription late = replay(topic, "late", SteppedEngine.selector("1"), 0);
        assertThat(consume(late))
                .isEqualTo(numbers(0, 200).stream()
                        .filter(text -> text.startsWith("1"))
                        .toList());
        engine.publish(topic, 200, 211);
        engine.publish(topic, "17");
        assertThat(consume(late)).containsExactly("17");
    }

    @Test
    void whatHasExpiredMeanwhileIsNotServed() {
        Address topic = engine.topic("kept.expired");
        byte[] body = SteppedEngine.bytes("short");
        engine.submit(new Message(topic, engine.now, Message.PRIORITY_NORMAL, engine.now + 10, 0, body, 0, null));
        engine.publish(topic, "long");
        engine.run();
        engine.now += 100;
        assertThat(consume(replay(topic, "late"))).containsExactly("long");
    }

    @Test
    void largeBodiesAreNotCopiedAndStayAsLongAsAnybodyNeedsThem() {
        Address topic = engine.topic("kept.large");
        byte[] body = new byte[100_000];
        Arrays.fill(body, (byte) 'x');
        Subscription other = engine.subscribe(topic, "other");
        engine.submit(engine.message(topic, body));
        engine.run();
        Subscription late = replay(topic, "late");
        assertThat(owed(late)).isEqualTo(1);
        assertThat(consume(other)).hasSize(1);
        engine.now += AGE_MS + 1_000;
        engine.run();
        engine.passALap();
        assertThat(engine.state.backlogMessages()).as("the copy alone").isEqualTo(1);
        assertThat(consume(late)).containsExactly("x".repeat(100_000));
        Subscription second = replay(topic, "second");
        engine.submit(engine.message(topic, body));
        engine.run();
        assertThat(consume(second)).containsExactly("x".repeat(100_000));
        assertThat(consume(late)).as("its body is the same").containsExactly("x".repeat(100_000));
    }

    @Test
    void whoSaysTheSameAgainIsNotServedAgain() {
        Address topic = engine.topic("kept.again");
        engine.publish(topic, 0, 10);
        assertThat(consume(replay(topic, "late"))).hasSize(10);
        assertThat(consume(replay(topic, "late"))).isEmpty();
        engine.crashAndRestart();
        assertThat(consume(replay(engine.address("kept.again"), "late"))).isEmpty();
    }

    // ---- bounds

    @Test
    void copiesAreMadeAsTheyAreConsumedAndNothingGoesMeanwhile() {
        Address topic = engine.topic("kept.slow");
        engine.publish(topic, 0, 20_000);
        engine.run();
        Subscription late = replay(topic, "late");
        assertThat(owed(late)).as("a window of copies, not all").isBetween(3_000L, 5_000L);

        engine.now += 2 * AGE_MS;
        engine.run();
        engine.publish(topic, 20_000, 20_100);
        assertThat(consume(late)).isEqualTo(numbers(0, 20_100));
        engine.now += 1_000;
        engine.run();
        assertThat(topic.quota().messages())
                .as("what was kept for it alone has gone")
                .isEqualTo(100);
    }

    @Test
    void theRestIsServedAlthoughThePolicyHasGone() {
        Address topic = engine.topic("kept.removed");
        engine.publish(topic, 0, 10_000);
        Subscription late = replay(topic, "late");
        engine.crash();
        engine.dispatch = new DispatchSettings(64L << 20, 1_000, 16 << 20, 1_000, DispatchSettings.policies(3, "DLQ"));
        engine.begin();
        assertThat(consume(late)).isEqualTo(numbers(0, 10_000));
        engine.now += 1_000;
        engine.run();
        Address again = engine.address("kept.removed");
        assertThat(engine.doors.lookup().subscriptionsOf(again)).containsExactly(late);
        assertThat(again.quota().messages()).isZero();
        engine.publish(again, 0, 5);
        assertThat(consume(late)).isEqualTo(numbers(0, 5));
        assertThatThrownBy(() -> replay(again, "another")).hasMessageContaining("RT-2027");
    }

    @Test
    void aSubscriptionThatIsDeletedMeanwhileLeavesNothing() {
        Address topic = engine.topic("kept.deleted");
        engine.publish(topic, 0, 10_000);
        Subscription late = replay(topic, "late");
        engine.await(engine.doors.catalog().unsubscribe(late));
        engine.run();
        assertThat(topic.quota().messages()).isEqualTo(10_000);
        engine.crashAndRestart();
        engine.run();
        assertThat(consume(replay(engine.address("kept.deleted"), "late"))).isEqualTo(numbers(0, 10_000));
    }

    // ---- crashes

    @ParameterizedTest(name = "after the call: {0}")
    @ValueSource(booleans = {false, true})
    void aBrokerThatDiesAnywhereGoesOnWhereItWas(boolean after) {
        for (int call = 0; call < 14; call++) {
            Address topic = engine.topic("kept.crash-" + after + call);
            engine.publish(topic, 0, 3_000);
            int[] left = {call};
            engine.store.plan =
                    (verb, flush) -> verb.equals("flush") || verb.equals("alter") ? crashAt(left, after) : null;
            List<String> seen = new ArrayList<>();
            try {
                ask(topic, "late-" + call);
                engine.run();
                Reader reader = engine.attach(engine.subscription("late-" + call), 1_000);
                engine.run();
                seen.addAll(reader.texts());
            } catch (FaultyStore.Crash crash) {
                // as the loop wants it
            }
            engine.crashAndRestart();
            engine.publish(engine.address(topic.name()), 3_000, 3_010);
            Subscription late = replay(engine.address(topic.name()), "late-" + call);
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
            Address topic = engine.topic("kept.fails-" + after + call);
            engine.publish(topic, 0, 3_000);
            int[] left = {call};
            StoreFailure.Kind kind = kinds[after ? 0 : call % kinds.length];
            ask(topic, "late-" + call);
            if (kind == StoreFailure.Kind.NOT_WRITABLE) {
                engine.commitTurn(); // what fails then is a refusal
            }
            engine.store.plan = (verb, flush) -> (verb.equals("flush") || verb.equals("alter")) && left[0]-- == 0
                    ? new FaultyStore.Fault(kind, after)
                    : null;
            engine.run();
            engine.now += 2_000;
            engine.run();
            Subscription late = engine.subscription("late-" + call);
            engine.doors.catalog().leave(late);
            assertThat(consume(late)).as("%s at call %s", kind, call).isEqualTo(numbers(0, 3_000));
            engine.store.plan = FaultyStore.NOTHING_FAILS;
            engine.publish(topic, 3_000, 3_010);
            assertThat(consume(late)).isEqualTo(numbers(3_000, 3_010));
        }
    }
}
