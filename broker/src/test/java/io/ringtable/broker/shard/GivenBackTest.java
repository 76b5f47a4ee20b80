package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.consumer.Enlisted;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.shard.FaultyStore.Fault;
import io.ringtable.broker.store.Flush;
import io.ringtable.broker.store.StoreFailure.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Tests the fate of a message that its consumer does not accept: released, failed, rejected, expired, lost, held by a
 * transaction.
 */
class GivenBackTest extends SteppedQueueTest {
    @Override
    void configure(SteppedShard unopened) {
        unopened.dispatch = SMALL;
    }

    @Test
    void aReleasedMessageGoesBackToItsPlaceUncounted() {
        Reader reader = reader(3);
        shard.publish(queue, 0, 5);
        reader.release(reader.deliveries.get(0));
        reader.credit(10);
        shard.run();
        assertThat(reader.texts()).containsExactly("0", "1", "2", "0", "3", "4");
        assertThat(reader.deliveries.get(3).failures()).isZero();
        assertThat(reader.deliveries.get(3).redelivered()).isFalse();
    }

    @Test
    void whatIsRecalledComesAgainInItsPlaceOnceThereIsCredit() {
        Reader reader = reader(10);
        shard.publish(queue, 0, 3);
        reader.recall();
        reader.deliveries.forEach(reader::release);
        shard.run();
        assertThat(reader.recalls).isEqualTo(1);
        shard.publish(queue, 3, 5);
        assertThat(reader.deliveries).as("its credit is void").hasSize(3);
        reader.credit(10);
        shard.run();
        assertThat(reader.texts()).containsExactly("0", "1", "2", "0", "1", "2", "3", "4");
    }

    @Test
    void whatHasExpiredIsNotDeliveredAndIsOver() {
        Message text = shard.message(queue, SteppedShard.bytes("late"));
        for (long expiresAt : new long[] {shard.now + 100, 0, shard.now + 300}) {
            shard.submit(new Message(queue, shard.now, text.priority(), expiresAt, 0, text.encoded(), 0));
        }
        shard.run();
        shard.now += 100;
        Reader reader = reader(10);
        shard.run();
        assertThat(reader.deliveries).extracting(Delivery::sequence).containsExactly(1L, 2L);
        assertThat(queue.quota().messages()).as("the first is over").isEqualTo(2);
        shard.crashAndRestart();
        queue = shard.address("q");
        shard.now += 200;
        Reader next = reader(10);
        shard.run();
        assertThat(next.deliveries).extracting(Delivery::sequence).containsExactly(1L);
        assertThat(queue.quota().messages()).isEqualTo(1);
    }

    @Test
    void aMessageIsNeverGivenAgainToWhomItIsNotFor() {
        Reader one = reader(1);
        shard.publish(queue, 0, 1);
        one.credit(10);
        one.modify(one.deliveries.get(0), false, true);
        shard.run();
        assertThat(one.deliveries).hasSize(1);
        one.drain();
        shard.run();
        assertThat(one.drained).as("nothing is to come for it").hasSize(1);
        Reader two = reader(1);
        shard.run();
        assertThat(two.texts()).containsExactly("0");
    }

    @Test
    void theLastFailureMovesTheMessageInOneFlushWithItsSettlement() {
        Reader reader = reader(10);
        shard.publish(queue, 0, 1);
        for (int failure = 0; failure < 3; failure++) {
            Delivery delivery = reader.deliveries.get(failure);
            assertThat(delivery.failures()).isEqualTo(failure);
            shard.store.flushes.clear();
            shard.store.recordFlushes = true;
            reader.modify(delivery, true, false);
            shard.run();
        }
        Flush moved = shard.store.flushes.stream()
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
        Reader dead = shard.attach(shard.reader(shard.address("DLQ")), 1);
        shard.run();
        assertThat(dead.texts()).containsExactly("0|q/");
        shard.crashAndRestart();
        assertThat(shard.store.recover(shard.state.epoch(), row -> {}).redeliveries())
                .isEmpty();
    }

    @Test
    void whatFailsOnTheDeadLetterQueueStaysThere() {
        Address dead = shard.queue("DLQ");
        shard.publish(dead, 0, 1);
        Reader reader = shard.attach(shard.reader(dead), 100);
        shard.run();
        for (int i = 0; i < 5; i++) {
            reader.reject(reader.deliveries.get(i), "no");
            shard.run();
            assertThat(reader.deliveries).as("it rests").hasSize(i + 1);
            shard.now += 60_000;
            shard.run();
        }
        assertThat(reader.deliveries).hasSize(6);
        assertThat(dead.quota().messages()).isEqualTo(1);
    }

    @Test
    void whatFailsTooOftenOnTheDeadLetterQueueRestsThere() {
        Address dead = shard.queue("DLQ");
        shard.publish(dead, 0, 1);
        Reader reader = shard.attach(shard.reader(dead), 1_000);
        shard.run();
        for (int i = 0; i < 200 && i < reader.deliveries.size(); i++) {
            reader.modify(reader.deliveries.get(i), true, false);
            shard.run();
        }
        assertThat(reader.deliveries).as("deliveries without the clock moving").hasSizeLessThan(20);
        shard.now += 60_000;
        int before = reader.deliveries.size();
        shard.run();
        assertThat(reader.deliveries).hasSize(before + 1);
    }

    @Test
    void aDeadLetterThatCannotBeWrittenStaysWhereItIs() {
        Reader reader = reader(10);
        shard.publish(queue, 0, 1);
        shard.deadLettersFail = true;
        reader.reject(reader.deliveries.get(0), "no");
        shard.run();
        assertThat(reader.deliveries).as("it rests").hasSize(1);
        shard.now += 60_000;
        shard.run();
        assertThat(reader.deliveries).hasSize(2);
        shard.deadLettersFail = false;
        shard.queue("DLQ");
        shard.store.plan =
                (verb, flush) -> flush != null && !flush.claims().isEmpty() ? Fault.before(Kind.NOT_WRITABLE) : null;
        reader.reject(reader.deliveries.get(1), "no");
        shard.run();
        shard.now += 60_000;
        shard.run();
        assertThat(reader.deliveries).hasSize(3).last().matches(Delivery::redelivered);
        assertThat(shard.address("DLQ").quota().messages()).isZero();
        assertThat(queue.quota().messages()).isEqualTo(1);
    }

    @Test
    void aLostConnectionFlagsWhatItMayHaveSeenAndADetachDoesNot() {
        Reader calm = reader(2);
        shard.publish(queue, 0, 6);
        calm.detach(false);
        Reader lost = reader(4);
        shard.run();
        lost.detach(true);
        Reader last = reader(100);
        shard.run();
        assertThat(lost.texts()).isEqualTo(numbers(0, 4));
        assertThat(lost.deliveries).noneMatch(Delivery::redelivered);
        assertThat(last.texts()).isEqualTo(numbers(0, 6));
        assertThat(last.deliveries.subList(0, 4)).allMatch(Delivery::redelivered);
    }

    @Test
    void whatCrossesADetachGoesBackOnce() {
        Reader one = reader(5);
        shard.publish(queue, 0, 5);
        Delivery onItsWay = one.unsettled.remove(4); // the link has not taken it yet
        one.detach(true);
        shard.dispatcher.mailbox().released(one, onItsWay); // and says so afterwards
        shard.dispatchTurn();
        Outcome late = one.accept(onItsWay);
        Reader two = reader(100);
        shard.run();
        assertThat(late.refusal.code()).isEqualTo("RT-2205");
        assertThat(two.texts()).isEqualTo(numbers(0, 5));
    }

    @Test
    void whatATransactionHoldsIsNobodyElsesAlsoWhenItsConsumerLeavesAndItMovesToTheBacklog() {
        Reader leaving = reader(3);
        shard.publish(queue, 0, 10);
        Enlisted held = shard.dispatcher.mailbox().enlist(leaving, leaving.deliveries.get(1));
        leaving.unsettled.remove(1);
        leaving.detach(false);
        shard.publish(shard.queue("other"), 0, 7_500); // moves what is owed below the gate
        Reader another = reader(100);
        shard.run();
        assertThat(another.texts()).containsExactly("0", "2", "3", "4", "5", "6", "7", "8", "9");
        shard.dispatcher.mailbox().rolledBack(held, true);
        shard.run();
        Delivery again = another.deliveries.get(9);
        assertThat(SteppedShard.text(again)).isEqualTo("1");
        assertThat(again.failures()).isOne();
        assertThat(again.redelivered()).isTrue();
    }

    @Test
    void whatIsSettledInTheDatabaseWhileATransactionHoldsItDoesNotComeBack() {
        Reader reader = reader(2);
        shard.publish(queue, 0, 3);
        Enlisted held = shard.dispatcher.mailbox().enlist(reader, reader.deliveries.get(0));
        shard.dispatcher.settledElsewhere(List.of(held.settlement()));
        shard.dispatcher.mailbox().rolledBack(held, true);
        reader.credit(10);
        shard.run();
        assertThat(reader.texts()).containsExactly("0", "1", "2");
    }

    @Test
    void whatIsNoMoreTheConsumersTakesNoPartInATransaction() {
        Reader reader = reader(1);
        shard.publish(queue, 0, 1);
        reader.detach(true);
        shard.run();
        assertThat(shard.dispatcher.mailbox().enlist(reader, reader.deliveries.get(0)))
                .isNull();
    }
}
