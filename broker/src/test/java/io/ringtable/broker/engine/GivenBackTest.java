package io.ringtable.broker.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.consumer.Enlisted;
import io.ringtable.broker.engine.FaultyStore.Fault;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.StoreFailure.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What becomes of a message that its consumer does not accept: released, failed, rejected, expired, lost, held by a transaction. */
class GivenBackTest extends SteppedQueueTest {
    @Override
    void configure(SteppedEngine unopened) {
        unopened.dispatch = SMALL;
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
}
