package io.ringtable.broker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.consumer.Enlisted;
import io.ringtable.broker.engine.FaultyStore.Fault;
import io.ringtable.broker.engine.SteppedEngine.Outcome;
import io.ringtable.broker.engine.SteppedEngine.Reader;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.StoreFailure.Kind;
import io.ringtable.broker.work.Mailbox;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who gets what, when, and what becomes of it; on a real SQLite file, stepped by hand. */
class DispatcherTest {
    @TempDir
    Path directory;

    private SteppedEngine engine;
    private Address queue;

    @BeforeEach
    void open() {
        engine = new SteppedEngine(directory);
        engine.dispatch = SteppedEngine.dispatch(1 << 20, 16, 64 << 10, 16);
        engine.open();
        queue = engine.queue("q");
    }

    @AfterEach
    void close() {
        engine.close();
    }

    private Reader reader(long credit) {
        return engine.attach(engine.reader(queue), credit);
    }

    private static List<String> numbers(int from, int to) {
        return IntStream.range(from, to).mapToObj(Integer::toString).toList();
    }

    @Test
    void nothingIsDeliveredBeforeItIsDurable() {
        Reader reader = reader(10);
        engine.run();
        engine.publish(queue, "a");
        engine.dispatchTurn();
        assertThat(reader.deliveries).isEmpty();
        engine.run();
        assertThat(reader.texts()).containsExactly("a");
    }

    @Test
    void whatFitsNoWindowIsReadBackInOrder() {
        Reader reader = reader(10_000);
        engine.run();
        engine.publish(queue, 0, 3_000);
        assertThat(reader.texts()).isEqualTo(numbers(0, 3_000));
        assertThat(reader.deliveries).noneMatch(Delivery::redelivered);
    }

    @Test
    void competingConsumersTakeTurns() {
        Reader one = reader(100);
        Reader two = reader(100);
        engine.publish(queue, 0, 10);
        assertThat(one.deliveries).hasSize(5);
        assertThat(two.deliveries).hasSize(5);
        assertThat(Stream.concat(one.texts().stream(), two.texts().stream()))
                .containsExactlyInAnyOrderElementsOf(numbers(0, 10));
    }

    @Test
    void aReleasedMessageGoesBackToItsPlaceUncounted() {
        Reader reader = reader(3);
        engine.publish(queue, 0, 5);
        reader.release(reader.deliveries.get(0));
        reader.credit(10);
        engine.run();
        assertThat(reader.texts()).containsExactly("0", "1", "2", "0", "3", "4");
        assertThat(reader.deliveries.get(3).failures()).isZero();
        assertThat(reader.deliveries.get(3).redelivered()).isFalse();
    }

    @Test
    void whatHasExpiredIsNotDeliveredAndIsOver() {
        Message text = engine.message(queue, SteppedEngine.bytes("late"));
        for (long expiresAt : new long[] {engine.now + 100, 0, engine.now + 300}) {
            engine.submit(new Message(queue, engine.now, text.priority(), expiresAt, 0, text.encoded(), 0));
        }
        engine.run();
        engine.now += 100;
        Reader reader = reader(10);
        engine.run();
        assertThat(reader.deliveries).extracting(Delivery::sequence).containsExactly(1L, 2L);
        assertThat(queue.quota().messages()).as("the first is over").isEqualTo(2);
        engine.crashAndRestart();
        queue = engine.address("q");
        engine.now += 200;
        Reader next = reader(10);
        engine.run();
        assertThat(next.deliveries).extracting(Delivery::sequence).containsExactly(1L);
        assertThat(queue.quota().messages()).isEqualTo(1);
    }

    @Test
    void aMessageIsNeverGivenAgainToWhomItIsNotFor() {
        Reader one = reader(1);
        engine.publish(queue, 0, 1);
        one.credit(10);
        one.modify(one.deliveries.get(0), false, true);
        engine.run();
        assertThat(one.deliveries).hasSize(1);
        one.drain();
        engine.run();
        assertThat(one.drained).as("nothing is to come for it").hasSize(1);
        Reader two = reader(1);
        engine.run();
        assertThat(two.texts()).containsExactly("0");
    }

    @Test
    void theLastFailureMovesTheMessageInOneFlushWithItsSettlement() {
        Reader reader = reader(10);
        engine.publish(queue, 0, 1);
        for (int failure = 0; failure < 3; failure++) {
            Delivery delivery = reader.deliveries.get(failure);
            assertThat(delivery.failures()).isEqualTo(failure);
            engine.store.flushes.clear();
            engine.store.recordFlushes = true;
            reader.modify(delivery, true, false);
            engine.run();
        }
        Flush moved = engine.store.flushes.stream()
                .filter(flush -> !flush.claims().isEmpty())
                .findFirst()
                .orElseThrow();
        assertThat(moved.settlements()).as("settled by the same flush").isNotEmpty();
        assertThat(moved.redeliveries())
                .as("its count goes with it")
                .allMatch(row -> row.count() == 0)
                .isNotEmpty();
        assertThat(reader.deliveries).hasSize(3);
        assertThat(queue.quota().messages()).isZero();
        Reader dead = engine.attach(engine.reader(engine.address("DLQ")), 1);
        engine.run();
        assertThat(dead.texts()).containsExactly("0|q/");
        engine.crashAndRestart();
        assertThat(engine.store.recover(engine.state.epoch(), row -> {}).redeliveries())
                .isEmpty();
    }

    @Test
    void whatFailsOnTheDeadLetterQueueStaysThere() {
        Address dead = engine.queue("DLQ");
        engine.publish(dead, 0, 1);
        Reader reader = engine.attach(engine.reader(dead), 100);
        engine.run();
        for (int i = 0; i < 5; i++) {
            reader.reject(reader.deliveries.get(i), "no");
            engine.run();
            assertThat(reader.deliveries).as("it rests").hasSize(i + 1);
            engine.now += 60_000;
            engine.run();
        }
        assertThat(reader.deliveries).hasSize(6);
        assertThat(dead.quota().messages()).isEqualTo(1);
    }

    @Test
    void whatFailsTooOftenOnTheDeadLetterQueueRestsThere() {
        Address dead = engine.queue("DLQ");
        engine.publish(dead, 0, 1);
        Reader reader = engine.attach(engine.reader(dead), 1_000);
        engine.run();
        for (int i = 0; i < 200 && i < reader.deliveries.size(); i++) {
            reader.modify(reader.deliveries.get(i), true, false);
            engine.run();
        }
        assertThat(reader.deliveries).as("deliveries without the clock moving").hasSizeLessThan(20);
        engine.now += 60_000;
        int before = reader.deliveries.size();
        engine.run();
        assertThat(reader.deliveries).hasSize(before + 1);
    }

    @Test
    void aDeadLetterThatCannotBeWrittenStaysWhereItIs() {
        Reader reader = reader(10);
        engine.publish(queue, 0, 1);
        engine.deadLettersFail = true;
        reader.reject(reader.deliveries.get(0), "no");
        engine.run();
        assertThat(reader.deliveries).as("it rests").hasSize(1);
        engine.now += 60_000;
        engine.run();
        assertThat(reader.deliveries).hasSize(2);
        engine.deadLettersFail = false;
        engine.queue("DLQ");
        engine.store.plan =
                (verb, flush) -> flush != null && !flush.claims().isEmpty() ? Fault.before(Kind.NOT_WRITABLE) : null;
        reader.reject(reader.deliveries.get(1), "no");
        engine.run();
        engine.now += 60_000;
        engine.run();
        assertThat(reader.deliveries).hasSize(3).last().matches(Delivery::redelivered);
        assertThat(engine.address("DLQ").quota().messages()).isZero();
        assertThat(queue.quota().messages()).isEqualTo(1);
    }

    @Test
    void aLostConnectionFlagsWhatItMayHaveSeenAndADetachDoesNot() {
        Reader calm = reader(2);
        engine.publish(queue, 0, 6);
        calm.detach(false);
        Reader lost = reader(4);
        engine.run();
        lost.detach(true);
        Reader last = reader(100);
        engine.run();
        assertThat(lost.texts()).isEqualTo(numbers(0, 4));
        assertThat(lost.deliveries).noneMatch(Delivery::redelivered);
        assertThat(last.texts()).isEqualTo(numbers(0, 6));
        assertThat(last.deliveries.subList(0, 4)).allMatch(Delivery::redelivered);
    }

    @Test
    void whatCrossesADetachGoesBackOnce() {
        Reader one = reader(5);
        engine.publish(queue, 0, 5);
        Delivery onItsWay = one.unsettled.remove(4); // the link has not taken it yet
        one.detach(true);
        engine.dispatcher.mailbox().released(one, onItsWay); // and says so afterwards
        engine.dispatchTurn();
        Outcome late = one.accept(onItsWay);
        Reader two = reader(100);
        engine.run();
        assertThat(late.refusal.code()).isEqualTo("RT-2205");
        assertThat(two.texts()).isEqualTo(numbers(0, 5));
    }

    @Test
    void aDrainIsAnsweredAfterEverythingThatIsReady() {
        engine.publish(queue, 0, 100);
        Reader reader = reader(150).drain();
        engine.dispatchTurn();
        assertThat(reader.drained).as("a read-back is under way").isEmpty();
        engine.readTurn();
        engine.dispatchTurn();
        assertThat(reader.deliveries).as("its bound is on its way up").hasSizeLessThanOrEqualTo(1);
        assertThat(reader.drained).isEmpty();
        engine.run();
        assertThat(reader.texts()).isEqualTo(numbers(0, 100));
        assertThat(reader.drained).containsExactly(150L);
        engine.publish(queue, 100, 101);
        assertThat(reader.deliveries).as("the rest of the credit is void").hasSize(100);
    }

    @Test
    void aDrainIsAnsweredByAConsumerThatHoldsTooManyBytes() {
        Reader reader = reader(10);
        for (int i = 0; i < 5; i++) {
            engine.submit(engine.message(queue, new byte[20_000]));
        }
        engine.run();
        assertThat(reader.deliveries).as("64 KiB may be held unsettled").hasSize(4);
        reader.drain();
        engine.run();
        assertThat(reader.drained).hasSize(1);
        reader.acceptAll();
        reader.credit(10);
        engine.run();
        assertThat(reader.deliveries).hasSize(5);
    }

    @Test
    void whatMovesToTheBacklogDuringAReadThatFindsItEmptyIsNotForgotten() {
        Address other = engine.queue("other");
        engine.publish(queue, 0, 10);
        engine.publish(other, 0, 7_000); // the first ten lie in the backlog now
        engine.publish(queue, 10, 20);
        engine.store.afterEmptyBacklog = () -> {
            engine.store.afterEmptyBacklog = () -> {};
            for (int i = 7_000; i < 14_000; i++) {
                engine.publish(other, Integer.toString(i));
                if (i % 1_000 == 999) {
                    engine.commitTurn(); // the second ten are moved
                }
            }
        };
        Reader reader = reader(100);
        engine.run();
        assertThat(engine.state.ring().gate()).isGreaterThan(7_020);
        assertThat(reader.texts()).isEqualTo(numbers(0, 20));
    }

    @Test
    void aVolatileSubscriptionHoldsItsPublishersAndLetsThemGoOn() {
        Address topic = engine.topic("t");
        Subscription reader = engine.doors.lookup().volatileReader(topic, "client", "v", null, false);
        Reader slow = engine.attach(reader, 0);
        engine.run();
        List<Outcome> outcomes = new ArrayList<>();
        while (topic.quota().hasRoom() && outcomes.size() < 100) {
            outcomes.add(engine.publish(topic, Integer.toString(outcomes.size())));
            engine.run();
        }
        assertThat(outcomes).as("17 is one more than 16").hasSize(17).allMatch(outcome -> outcome.accepted);
        slow.credit(100);
        engine.run();
        assertThat(slow.deliveries).hasSize(17);
        assertThat(topic.quota().hasRoom()).isTrue();
        assertThat(topic.quota().messages()).isZero();
    }

    @Test
    void consumersOfASharedVolatileSubscriptionTakeTurnsAndInheritFromEachOther() {
        Address topic = engine.topic("t");
        Subscription shared = engine.await(engine.doors.catalog().subscribeVolatile(topic, "", "v", null));
        Reader first = engine.attach(shared, 100);
        Reader second = engine.attach(shared, 100);
        engine.run();
        engine.publish(topic, 0, 6);
        assertThat(first.texts()).containsExactly("0", "2", "4");
        assertThat(second.texts()).containsExactly("1", "3", "5");
        second.acceptAll();
        first.detach(true);
        engine.run();
        assertThat(second.texts()).containsExactly("1", "3", "5", "0", "2", "4");
        assertThat(second.deliveries.get(3).redelivered()).isTrue();
        second.detach(false);
        engine.run();
        assertThat(engine.dispatcher.memoryBytes()).isZero();
    }

    @Test
    void volatileSubscriptionsAreBoundedInBytesToo() {
        Address topic = engine.topic("t");
        Subscription reader = engine.doors.lookup().volatileReader(topic, "client", "v", null, false);
        Reader slow = engine.attach(reader, 0);
        engine.run();
        int sent = 0;
        for (; topic.quota().hasRoom() && sent < 16; sent++) {
            engine.submit(engine.message(topic, new byte[200_000]));
            engine.run();
        }
        assertThat(sent).as("1 MiB in messages of 200,000 bytes").isEqualTo(6);
        assertThat(topic.quota().hasRoom()).isFalse();
        slow.detach(true);
        engine.run();
        assertThat(topic.quota().hasRoom()).as("whoever went holds nobody").isTrue();
        assertThat(engine.dispatcher.memoryBytes()).isZero();
    }

    @Test
    void aVolatileConsumerMayGoWithoutHavingSettled() {
        Address topic = engine.topic("t"); // with nobody else who reads it
        Subscription reader = engine.doors.lookup().volatileReader(topic, "client", "v", null, false);
        Reader gone = engine.attach(reader, 10);
        engine.publish(topic, 0, 5);
        assertThat(gone.unsettled).hasSize(5);
        gone.detach(false);
        engine.run();
        assertThat(engine.dispatcher.memoryBytes()).isZero();
        engine.publish(topic, 5, 6);
        assertThat(topic.quota().messages()).isZero();
    }

    @Test
    void whatManySubscriptionsReadBackIsBoundedAndComesInTheEnd() {
        int queues = 40;
        for (int q = 0; q < queues; q++) {
            Address each = engine.queue("large" + q);
            for (int i = 0; i < 4; i++) {
                engine.submit(engine.message(each, new byte[200_000]));
                engine.run();
            }
        }
        engine.crashAndRestart(); // nothing is in memory
        List<Reader> readers = IntStream.range(0, queues)
                .mapToObj(q -> engine.attach(engine.reader(engine.address("large" + q)), 0))
                .toList();
        engine.run();
        assertThat(engine.dispatcher.memoryBytes())
                .as("of 32 MB: 1 MiB, and four reads that were under way")
                .isBetween(1L << 20, 5L << 20);
        readers.forEach(reader -> reader.credit(10));
        engine.run();
        for (int round = 0; round < queues && engine.dispatcher.unsettledBytes() > 0; round++) {
            readers.forEach(Reader::acceptAll);
            engine.run();
        }
        assertThat(readers).allSatisfy(reader -> assertThat(reader.deliveries).hasSize(4));
        assertThat(engine.dispatcher.memoryBytes()).isZero();
    }

    @Test
    void bodiesOfEverySizeComeBackFromMemoryRingAndBacklog() {
        Reader reader = reader(0);
        int[] sizes = {0, 1, 32_768, 32_769, 1 << 20, (2 << 20) + 1};
        for (int size : sizes) {
            byte[] body = new byte[size];
            java.util.Arrays.fill(body, (byte) 'x');
            engine.submit(engine.message(queue, body));
            engine.run();
        }
        Address other = engine.queue("other");
        engine.publish(other, 0, 7_500);
        for (int size : sizes) {
            reader.credit(1);
            engine.run();
            assertThat(reader.deliveries
                            .get(reader.deliveries.size() - 1)
                            .message()
                            .encoded())
                    .hasSize(size)
                    .containsOnly(size == 0 ? new byte[0] : new byte[] {'x'});
            reader.acceptAll();
        }
        engine.run();
        engine.stage(engine.doors.bodyIds().nextBodyId(), new byte[0]);
        assertThat(engine.store.orphanedBodies()).hasSizeLessThanOrEqualTo(1);
        assertThat(queue.quota().bytes()).isZero();
    }

    @Test
    void whatATransactionHoldsIsNobodyElsesAlsoWhenItsConsumerLeavesAndItMovesToTheBacklog() {
        Reader leaving = reader(3);
        engine.publish(queue, 0, 10);
        Enlisted held = engine.dispatcher.mailbox().enlist(leaving, leaving.deliveries.get(1));
        leaving.unsettled.remove(1);
        leaving.detach(false);
        engine.publish(engine.queue("other"), 0, 7_500); // moves what is owed below the gate
        Reader another = reader(100);
        engine.run();
        assertThat(another.texts()).containsExactly("0", "2", "3", "4", "5", "6", "7", "8", "9");
        engine.dispatcher.mailbox().rolledBack(held, true);
        engine.run();
        Delivery again = another.deliveries.get(9);
        assertThat(SteppedEngine.text(again)).isEqualTo("1");
        assertThat(again.failures()).isOne();
        assertThat(again.redelivered()).isTrue();
    }

    @Test
    void whatIsSettledInTheDatabaseWhileATransactionHoldsItDoesNotComeBack() {
        Reader reader = reader(2);
        engine.publish(queue, 0, 3);
        Enlisted held = engine.dispatcher.mailbox().enlist(reader, reader.deliveries.get(0));
        engine.dispatcher.settledElsewhere(List.of(held.settlement()));
        engine.dispatcher.mailbox().rolledBack(held, true);
        reader.credit(10);
        engine.run();
        assertThat(reader.texts()).containsExactly("0", "1", "2");
    }

    @Test
    void whatIsNoMoreTheConsumersTakesNoPartInATransaction() {
        Reader reader = reader(1);
        engine.publish(queue, 0, 1);
        reader.detach(true);
        engine.run();
        assertThat(engine.dispatcher.mailbox().enlist(reader, reader.deliveries.get(0)))
                .isNull();
    }

    @Test
    void whatASelectorDoesNotWantIsOwedByNobodyAndStaysSoAfterACrash() {
        Address topic = engine.topic("t");
        engine.await(engine.doors.catalog().subscribe(topic, "client", "s", SteppedEngine.selector("a"), false, false));
        Subscription inMemory =
                engine.doors.lookup().volatileReader(topic, "", "v", SteppedEngine.selector("b"), false);
        Reader some = engine.attach(inMemory, 10);
        engine.run();
        for (String text : List.of("a1", "b1", "c1", "a2")) {
            engine.publish(topic, text);
        }
        engine.run();
        assertThat(some.texts()).containsExactly("b1");
        assertThat(topic.quota().messages()).isEqualTo(2);
        engine.crashAndRestart();
        engine.publish(engine.address("t"), "b2");
        engine.publish(engine.address("t"), "a3");
        Reader stored = engine.attach(engine.subscription("s"), 10);
        engine.run();
        assertThat(stored.texts()).containsExactly("a1", "a2", "a3");
    }

    @Test
    void whatItsOwnClientPublishedIsNotForANoLocalSubscriptionAndStaysSoAfterACrash() {
        Address topic = engine.topic("t");
        engine.await(engine.doors.catalog().subscribe(topic, "client", "s", null, true, false));
        Reader some = engine.attach(
                engine.doors.lookup().volatileReader(topic, "other", "v", SteppedEngine.selector("w"), true), 10);
        engine.run();
        publishAs("client", topic, "w1");
        publishAs("other", topic, "w2");
        publishAs(null, topic, "w3");
        publishAs(null, topic, "unselected");
        engine.run();
        assertThat(some.texts()).containsExactly("w1", "w3");
        assertThat(topic.quota().messages()).as("nobody owes w1").isEqualTo(3);
        engine.crashAndRestart();
        publishAs("client", engine.address("t"), "w4");
        publishAs("other", engine.address("t"), "w5");
        Reader stored = engine.attach(engine.subscription("s"), 10);
        engine.run();
        assertThat(stored.texts()).containsExactly("w2", "w3", "unselected", "w5");
    }

    private void publishAs(String client, Address topic, String text) {
        engine.submit(new Message(
                topic, engine.now, Message.PRIORITY_NORMAL, 0, 0, SteppedEngine.bytes(text), 0, null, client));
    }

    @Test
    void aConnectionThatSettlesNothingHoldsItsShareAndTheOthersGoOn() {
        int size = 16 << 10;
        Mailbox greedy = () -> {};
        List<Reader> readers = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            readers.add(engine.attachOf(greedy, engine.reader(queue), 1_000));
        }
        for (int i = 0; i < 200; i++) {
            engine.submit(engine.message(queue, new byte[size]));
            engine.run();
        }
        assertThat(engine.dispatcher.unsettledBytes()).as("of 40 times 64 KiB").isBetween(1L << 20, (1L << 20) + size);

        Address other = engine.queue("other");
        Reader honest = engine.attachOf(() -> {}, engine.reader(other), 1_000);
        for (int i = 0; i < 200; i++) {
            engine.submit(engine.message(other, new byte[size]));
            engine.run();
            honest.acceptAll();
        }
        assertThat(honest.deliveries).hasSize(200);

        int settled = 0;
        for (int round = 0; settled < 200 && round < 200; round++) {
            for (Reader reader : readers) {
                settled += reader.unsettled.size();
                reader.acceptAll();
            }
            engine.run();
        }
        assertThat(settled).isEqualTo(200);
        assertThat(engine.dispatcher.unsettledBytes()).isZero();
    }

    @Test
    void whatAnEndedConsumerHeldIsFree() {
        Mailbox greedy = () -> {};
        List<Reader> readers = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            readers.add(engine.attachOf(greedy, engine.reader(queue), 1_000));
        }
        for (int i = 0; i < 200; i++) {
            engine.submit(engine.message(queue, new byte[16 << 10]));
            engine.run();
        }
        readers.forEach(reader -> reader.detach(true));
        engine.run();
        assertThat(engine.dispatcher.unsettledBytes()).isZero();
        Reader next = engine.attachOf(() -> {}, engine.reader(queue), 1_000);
        for (int round = 0; round < 200; round++) {
            next.acceptAll();
            engine.run();
        }
        assertThat(next.deliveries).hasSize(200);
    }
}
