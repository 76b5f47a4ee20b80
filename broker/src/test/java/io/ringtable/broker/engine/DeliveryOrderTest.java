package io.ringtable.broker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.consumer.Enlisted;
import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.dispatch.policy.AddressPolicy;
import io.ringtable.broker.engine.FaultyStore.Fault;
import io.ringtable.broker.engine.SteppedEngine.Reader;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.StoreFailure.Kind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What comes before what: priorities, delivery times, rests after a failure, selectors and exclusive consumers, with a window of
 * 16 messages, so that most of it is read back from a real SQLite file.
 */
class DeliveryOrderTest {
    @TempDir
    Path directory;

    private SteppedEngine engine;
    private Address queue;

    @BeforeEach
    void open() {
        engine = new SteppedEngine(directory);
        AddressPolicy plain = AddressPolicy.of(4, "DLQ");
        AddressPolicies policies = new AddressPolicies(
                List.of(
                        new AddressPolicies.Rule("rests.*", new AddressPolicy(4, "DLQ", "", 100, 2, 300, false)),
                        new AddressPolicies.Rule("exclusive.#", new AddressPolicy(4, "DLQ", "", 0, 1, 0, true)),
                        new AddressPolicies.Rule("expires", new AddressPolicy(4, "DLQ", "expired", 0, 1, 0, false))),
                plain);
        engine.dispatch = SteppedEngine.dispatch(1 << 20, 16, 64 << 10, 16);
        engine.policies = policies;
        engine.open();
        queue = engine.queue("q");
    }

    @AfterEach
    void close() {
        engine.close();
    }

    private Reader reader(Address address, String prefix, long credit) {
        return engine.attach(engine.reader(address), prefix, credit);
    }

    private void publish(Address address, String text, int priority, long expiresAt, long deliverAt) {
        engine.submit(new Message(address, engine.now, priority, expiresAt, deliverAt, SteppedEngine.bytes(text), 0));
    }

    private void publish(Address address, String text) {
        publish(address, text, Message.PRIORITY_NORMAL, 0, 0);
    }

    private void restart() {
        engine.crashAndRestart();
        queue = engine.address("q");
    }

    // ---- priorities

    private static String name(int i) {
        return i % 10 + "-" + String.format("%04d", i);
    }

    /** So many of them, each with the last digit of its number as its priority; the order in which they have to come. */
    private List<String> publishPriorities(int from, int to) {
        for (int i = from; i < to; i++) {
            publish(queue, name(i), i % 10, 0, 0);
        }
        engine.run();
        return IntStream.range(from, to)
                .boxed()
                .sorted(Comparator.<Integer>comparingInt(i -> -(i % 10)).thenComparing(i -> i))
                .map(DeliveryOrderTest::name)
                .toList();
    }

    @Test
    void theHighestPriorityComesFirstAndEachInItsOrder() {
        List<String> expected = publishPriorities(0, 500);
        Reader reader = reader(queue, null, 10_000);
        engine.run();
        assertThat(reader.texts()).isEqualTo(expected);
    }

    @Test
    void prioritiesSurviveARestartAndTheWayToTheBacklog() {
        List<String> expected = publishPriorities(0, 300);
        restart();
        engine.passALap();
        Reader reader = reader(queue, null, 10_000);
        engine.run();
        assertThat(reader.texts()).containsExactlyInAnyOrderElementsOf(expected);
        for (int priority = 0; priority < 10; priority++) {
            String prefix = priority + "-";
            assertThat(reader.texts().stream().filter(text -> text.startsWith(prefix)))
                    .isSorted();
        }
    }

    @Test
    void whatIsReadFromTheBacklogComesByPriorityToo() {
        List<String> expected = publishPriorities(0, 300);
        engine.passALap();
        Reader reader = reader(queue, null, 0);
        engine.run(); // reads it through, for there are several
        reader.credit(10_000);
        engine.run();
        assertThat(reader.texts()).isEqualTo(expected);
    }

    @Test
    void aHighPriorityOvertakesWhatWaits() {
        Reader reader = reader(queue, null, 1);
        for (int i = 0; i < 100; i++) {
            publish(queue, "normal" + i);
        }
        engine.run();
        publish(queue, "urgent", 9, 0, 0);
        engine.run();
        reader.credit(2);
        engine.run();
        assertThat(reader.texts()).containsExactly("normal0", "urgent", "normal1");
    }

    @Test
    void whatIsReadWhileAttendedIsFoundWhereTheRingHasLeftIt() {
        List<String> expected = publishPriorities(0, 300);
        Reader reader = reader(queue, null, 5);
        engine.run();
        engine.passALap(); // its bits stay known, its rows move
        reader.credit(10_000);
        engine.run();
        assertThat(reader.texts()).isEqualTo(expected);
        assertThat(reader.deliveries).extracting(Delivery::sequence).doesNotHaveDuplicates();
    }

    // ---- delivery times

    @Test
    void nothingComesBeforeItsTimeAndThenInOrderOfTime() {
        Reader reader = reader(queue, null, 100);
        publish(queue, "later", 4, 0, engine.now + 200);
        publish(queue, "soon", 4, 0, engine.now + 100);
        publish(queue, "now");
        engine.run();
        assertThat(reader.texts()).containsExactly("now");
        engine.now += 99;
        engine.run();
        assertThat(reader.texts()).containsExactly("now");
        engine.now += 1;
        engine.run();
        assertThat(reader.texts()).containsExactly("now", "soon");
        engine.now += 100;
        engine.run();
        assertThat(reader.texts()).containsExactly("now", "soon", "later");
    }

    @Test
    void aRestartAndTheWayToTheBacklogKeepTheTime() {
        publish(queue, "in the ring", 4, 0, engine.now + 1_000);
        engine.run();
        restart();
        Reader reader = reader(queue, null, 100);
        engine.run();
        engine.now += 999;
        engine.run();
        assertThat(reader.deliveries).isEmpty();
        engine.passALap();
        engine.now += 1;
        engine.run();
        assertThat(reader.texts())
                .as("moved while its subscription was attended")
                .containsExactly("in the ring");
        reader.acceptAll();
        reader.detach(false);

        publish(queue, "in the backlog", 4, 0, engine.now + 1_000);
        engine.run();
        engine.passALap();
        restart();
        Reader next = reader(queue, null, 100);
        engine.run();
        assertThat(next.deliveries).isEmpty();
        engine.now += 1_000;
        engine.run();
        assertThat(next.texts()).containsExactly("in the backlog");
    }

    @Test
    void aNonDurableSubscriberWaitsForTheTimeToo() {
        Address topic = engine.topic("t");
        Reader reader = engine.attach(engine.doors.lookup().volatileReader(topic, "client", "link", null, false), 10);
        engine.run();
        publish(topic, "later", 4, 0, engine.now + 100);
        publish(topic, "now");
        engine.run();
        assertThat(reader.texts()).containsExactly("now");
        engine.now += 100;
        engine.run();
        assertThat(reader.texts()).containsExactly("now", "later");
    }

    // ---- rests

    @Test
    void aFailedMessageRestsLongerEachTimeAndOthersOvertakeIt() {
        Address rests = engine.queue("rests.q");
        Reader reader = reader(rests, null, 100);
        publish(rests, "poison");
        publish(rests, "good");
        engine.run();
        reader.modify(reader.deliveries.get(0), true, false);
        for (long rest : new long[] {100, 200, 300}) {
            engine.run();
            int before = reader.deliveries.size();
            engine.now += rest - 1;
            engine.run();
            assertThat(reader.deliveries).as("it rests %d ms", rest).hasSize(before);
            engine.now += 1;
            engine.run();
            assertThat(reader.deliveries).hasSize(before + 1);
            Delivery again = reader.deliveries.get(before);
            assertThat(SteppedEngine.text(again)).isEqualTo("poison");
            assertThat(again.failures()).isEqualTo(before - 1);
            reader.modify(again, true, false);
        }
        engine.run();
        Reader dead = reader(engine.address("DLQ"), null, 10);
        engine.run();
        assertThat(dead.texts()).containsExactly("poison|rests.q/");
    }

    @Test
    void aRestSurvivesARestart() {
        Address rests = engine.queue("rests.q");
        Reader reader = reader(rests, null, 100);
        publish(rests, "poison");
        engine.run();
        reader.modify(reader.deliveries.get(0), true, false);
        engine.run();
        restart();
        Reader next = reader(engine.address("rests.q"), null, 100);
        engine.now += 99;
        engine.run();
        assertThat(next.deliveries).isEmpty();
        engine.now += 1;
        engine.run();
        assertThat(next.deliveries).hasSize(1).first().satisfies(delivery -> {
            assertThat(delivery.failures()).isEqualTo(1);
            assertThat(delivery.redelivered()).isTrue();
        });
    }

    // ---- selectors

    @Test
    void eachGetsWhatItSelectsInOrderHoweverFarTheOtherIsBehind() {
        List<String> as = new ArrayList<>();
        List<String> bs = new ArrayList<>();
        List<String> cs = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            List<String> its = List.of(as, bs, cs).get(i % 3);
            its.add("abc".charAt(i % 3) + String.format("%04d", i));
            publish(queue, its.get(its.size() - 1));
        }
        engine.run();
        Reader b = reader(queue, "b", 0);
        Reader a = reader(queue, "a", 10_000);
        engine.run();
        assertThat(a.texts()).as("although b has no credit").isEqualTo(as);
        b.credit(3);
        engine.run();
        assertThat(b.texts()).isEqualTo(bs.subList(0, 3));
        b.credit(10_000);
        engine.run();
        assertThat(b.texts()).isEqualTo(bs);
        a.acceptAll();
        b.acceptAll();
        engine.run();
        assertThat(queue.quota().messages()).isEqualTo(cs.size());

        Reader late = reader(queue, "c", 10_000);
        engine.run();
        assertThat(late.texts()).isEqualTo(cs);
        late.detach(false);
        Reader all = reader(queue, null, 10_000);
        engine.run();
        assertThat(all.texts()).isEqualTo(cs);
    }

    @Test
    void whatWasSetAsideForOneThatGoesIsAskedAboutAnew() {
        for (int i = 0; i < 300; i++) {
            publish(queue, (i % 2 == 0 ? "a" : "ab") + String.format("%04d", i));
        }
        engine.run();
        Reader stalled = reader(queue, "ab", 0);
        Reader slow = reader(queue, "a0", 1_000);
        engine.run();
        assertThat(slow.deliveries).hasSize(150);
        stalled.detach(false);
        Reader any = reader(queue, null, 1_000);
        engine.run();
        assertThat(any.deliveries).hasSize(150);
        assertThat(any.texts()).isSorted().allMatch(text -> text.startsWith("ab"));
    }

    @Test
    void aSelectorWaitsForWhatComesLater() {
        Reader reader = reader(queue, "b", 10);
        engine.publish(queue, 0, 100);
        publish(queue, "b");
        engine.run();
        assertThat(reader.texts()).containsExactly("b");
        reader.drain();
        engine.run();
        assertThat(reader.drained).hasSize(1);
    }

    // ---- groups

    @Test
    void aGroupIsOneConsumersUntilItGoes() {
        Reader one = reader(queue, null, 1_000);
        Reader two = reader(queue, null, 1_000);
        for (int i = 0; i < 300; i++) {
            engine.publish(queue, "[" + "abc".charAt(i % 3) + "]" + String.format("%04d", i));
        }
        engine.run();
        for (String group : List.of("[a]", "[b]", "[c]")) {
            List<String> ofOne = of(one, group);
            List<String> ofTwo = of(two, group);
            assertThat(List.of(ofOne.size(), ofTwo.size())).as(group).containsExactlyInAnyOrder(0, 100);
            assertThat(ofOne.isEmpty() ? ofTwo : ofOne).isSorted();
        }
        List<String> its = one.texts();
        one.detach(true);
        engine.run();
        assertThat(two.deliveries).hasSize(300);
        assertThat(two.texts().subList(300 - its.size(), 300))
                .as("in order again")
                .isEqualTo(its);
    }

    private static List<String> of(Reader reader, String group) {
        return reader.texts().stream().filter(text -> text.startsWith(group)).toList();
    }

    @Test
    void aGroupWaitsForItsConsumersCreditAndOthersDoNot() {
        Reader one = reader(queue, null, 1);
        engine.publish(queue, "[a]0");
        engine.run();
        Reader two = reader(queue, null, 1_000);
        for (int i = 1; i <= 100; i++) {
            engine.publish(queue, "[a]" + i);
            engine.publish(queue, "plain" + i);
        }
        engine.run();
        assertThat(two.texts()).hasSize(100).allMatch(text -> text.startsWith("plain"));
        one.credit(1_000);
        engine.run();
        assertThat(one.texts()).hasSize(101).allMatch(text -> text.startsWith("[a]"));
    }

    @Test
    void aClosedGroupIsFreeForAnybody() {
        Reader one = reader(queue, null, 2);
        engine.publish(queue, "[a]0");
        engine.publish(queue, "[a!]1");
        engine.publish(queue, "[a]2");
        engine.run();
        Reader two = reader(queue, null, 10);
        engine.run();
        assertThat(one.texts()).containsExactly("[a]0", "[a!]1");
        assertThat(two.texts()).containsExactly("[a]2");
    }

    @Test
    void whatIsLaterInAGroupWaitsForWhatRests() {
        Address rests = engine.queue("rests.groups");
        Reader one = reader(rests, null, 1);
        for (int i = 0; i < 40; i++) {
            engine.publish(rests, "[a]" + String.format("%02d", i));
        }
        engine.publish(rests, "plain");
        engine.run();
        one.modify(one.deliveries.get(0), true, false);
        one.credit(100);
        engine.run();
        assertThat(one.texts()).containsExactly("[a]00", "plain");
        engine.now += 100;
        engine.run();
        assertThat(of(one, "[a]").subList(1, 41)).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void whatIsLaterInAGroupWaitsForATransactionThatOutlivesItsConsumer() {
        Reader one = reader(queue, null, 2);
        for (int i = 0; i < 4; i++) {
            engine.publish(queue, "[a]" + i);
        }
        engine.run();
        Enlisted first = engine.dispatcher.mailbox().enlist(one, one.deliveries.get(0));
        one.unsettled.remove(one.deliveries.get(0));
        one.credit(1);
        engine.run();
        assertThat(one.texts()).as("its own consumer goes on").containsExactly("[a]0", "[a]1", "[a]2");
        Reader two = reader(queue, null, 10);
        one.detach(true);
        engine.run();
        assertThat(two.deliveries).isEmpty();
        engine.dispatcher.mailbox().rolledBack(first, false);
        engine.run();
        assertThat(two.texts()).containsExactly("[a]0", "[a]1", "[a]2", "[a]3");
    }

    @Test
    void groupsAreKnownAfterARestartAndSoIsWhatRests() {
        Address rests = engine.queue("rests.groups");
        Reader one = reader(rests, null, 1);
        for (int i = 0; i < 40; i++) {
            engine.publish(rests, "[a]" + String.format("%02d", i));
        }
        engine.run();
        one.modify(one.deliveries.get(0), true, false);
        engine.run();
        restart();
        rests = engine.address("rests.groups");
        one = reader(rests, null, 100);
        Reader two = reader(rests, null, 100);
        engine.run();
        assertThat(one.deliveries).isEmpty();
        assertThat(two.deliveries).isEmpty();
        engine.now += 100;
        engine.run();
        Reader its = one.deliveries.isEmpty() ? two : one;
        assertThat(its.texts()).hasSize(40).isSorted();
    }

    // ---- exclusive consumers

    @Test
    void anExclusiveQueueIsOneConsumersUntilItGoes() {
        Address exclusive = engine.queue("exclusive.orders.eu");
        Reader one = reader(exclusive, null, 5);
        Reader two = reader(exclusive, null, 100);
        engine.publish(exclusive, 0, 10);
        assertThat(one.texts()).containsExactly("0", "1", "2", "3", "4");
        assertThat(two.deliveries).as("although the first has no credit left").isEmpty();
        two.drain();
        engine.run();
        assertThat(two.drained).as("nothing is to come for it now").hasSize(1);
        one.detach(false);
        two.credit(100);
        engine.run();
        assertThat(two.texts()).containsExactly("0", "1", "2", "3", "4", "5", "6", "7", "8", "9");
    }

    // ---- expiry

    @Test
    void whatHasExpiredMovesInOneFlushWithItsSettlement() {
        Address expires = engine.queue("expires");
        publish(expires, "late", 4, engine.now + 100, 0);
        engine.run();
        engine.now += 100;
        engine.store.recordFlushes = true;
        Reader reader = reader(expires, null, 10);
        engine.run();
        Flush moved = engine.store.flushes.stream()
                .filter(flush -> !flush.claims().isEmpty())
                .findFirst()
                .orElseThrow();
        assertThat(moved.settlements()).as("settled by the same flush").isNotEmpty();
        assertThat(reader.deliveries).isEmpty();
        assertThat(expires.quota().messages()).isZero();
        Reader expired = reader(engine.address("expired"), null, 10);
        engine.run();
        assertThat(expired.texts()).containsExactly("late|expires/");
    }

    @Test
    void whatCannotBeMovedStaysAndIsTriedAgain() {
        Address expires = engine.queue("expires");
        engine.queue("expired");
        publish(expires, "late", 4, engine.now + 100, 0);
        engine.run();
        engine.now += 100;
        engine.store.plan =
                (verb, flush) -> flush != null && !flush.claims().isEmpty() ? Fault.before(Kind.NOT_WRITABLE) : null;
        Reader reader = reader(expires, null, 10);
        engine.run();
        assertThat(reader.deliveries).isEmpty();
        assertThat(expires.quota().messages()).isEqualTo(1);
        engine.store.plan = FaultyStore.NOTHING_FAILS;
        engine.now += 60_000;
        engine.run();
        assertThat(expires.quota().messages()).isZero();
        assertThat(engine.address("expired").quota().messages()).isEqualTo(1);
    }

    // ---- policies

    @Test
    void theFirstRuleThatMatchesCounts() {
        AddressPolicy one = AddressPolicy.of(1, "DLQ");
        AddressPolicy many = AddressPolicy.of(2, "DLQ");
        AddressPolicy others = AddressPolicy.of(3, "DLQ");
        assertThat(new AddressPolicies.Rule("orders.*", one).pattern().asMatchPredicate())
                .accepts("orders.eu")
                .rejects("orders", "orders.eu.north", "ordersXeu");
        assertThat(new AddressPolicies.Rule("orders.#", many).pattern().asMatchPredicate())
                .accepts("orders", "orders.eu", "orders.eu.north")
                .rejects("orders2", "my.orders");
        assertThat(new AddressPolicies.Rule("#.dlq", others).pattern().asMatchPredicate())
                .accepts("a.dlq", "a.b.dlq");
        assertThat(new AddressPolicies.Rule("#", others).pattern().asMatchPredicate())
                .accepts("", "a", "a.b");
    }
}
