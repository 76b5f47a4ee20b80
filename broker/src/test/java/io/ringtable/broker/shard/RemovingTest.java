package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.consumer.Enlisted;
import io.ringtable.broker.dispatch.explain.Reason;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.store.MessageRow;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that an operator's removal settles a message durably wherever it waits, and leaves what others have. */
class RemovingTest extends SteppedQueueTest {
    @Override
    void configure(SteppedShard unopened) {
        unopened.dispatch = SMALL;
    }

    /** @return the refusal; null if it is removed */
    private Refusal remove(Subscription subscription, long sequence) {
        return remove(subscription, shard.store.readMessage(sequence));
    }

    private Refusal remove(Subscription subscription, MessageRow row) {
        List<Refusal> outcome = new ArrayList<>();
        shard.dispatcher.removals().remove(subscription, row, outcome::add);
        shard.run();
        assertThat(outcome).as("exactly one outcome").hasSize(1);
        return outcome.get(0);
    }

    private void removes(long sequence) {
        assertThat(remove(shard.reader(queue), sequence)).isNull();
        assertThat(shard.store.readMessage(sequence))
                .satisfiesAnyOf(
                        row -> assertThat(row).isNull(),
                        row -> assertThat(row.owed()).isZero());
    }

    @Test
    void whatWaitsInTheRingIsRemovedForGood() {
        shard.publish(queue, 0, 5);
        removes(2);
        assertThat(queue.quota().messages()).isEqualTo(4);
        assertThat(received(queue)).containsExactly("0", "1", "3", "4");
        restart();
        assertThat(received(queue)).containsExactly("0", "1", "3", "4");
    }

    @Test
    void whatWaitsInMemoryIsRemoved() {
        Reader reader = reader(0);
        shard.publish(queue, 0, 5);
        removes(0);
        removes(3);
        reader.credit(10);
        shard.run();
        assertThat(reader.texts()).containsExactly("1", "2", "4");
    }

    @Test
    void whatLiesInABacklogThatNobodyHasReadIsRemoved() {
        shard.publish(queue, 0, 100);
        shard.passALap();
        restart();
        removes(0);
        removes(50);
        removes(99);
        assertThat(received(queue)).hasSize(97).doesNotContain("0", "50", "99");
    }

    @Test
    void aBacklogThatNobodyHasReadOwesNothingOnceAllOfItIsRemoved() {
        shard.publish(queue, 0, 2);
        shard.passALap();
        removes(0);
        assertThat(why()).isEqualTo(Reason.NO_CONSUMER);
        removes(1);
        assertThat(why()).isEqualTo(Reason.NOTHING_OWED);
        shard.publish(queue, 2, 3);
        assertThat(why()).isEqualTo(Reason.NO_CONSUMER);
    }

    private Reason why() {
        return shard.await(shard.dispatcher.explainer().why(shard.reader(queue)))
                .reason();
    }

    @Test
    void whatIsOnItsWayIntoMemoryIsRemoved() {
        shard.publish(queue, 0, 100);
        Reader reader = reader(1_000);
        shard.dispatchTurn(); // asks for the first messages; nobody reads yet
        removes(1);
        assertThat(reader.texts()).hasSize(99).doesNotContain("1");
    }

    @Test
    void whatIsDelayedIsRemoved() {
        shard.submit(new io.ringtable.broker.message.Message(
                queue, shard.now, 4, 0, shard.now + 1_000, SteppedShard.bytes("later"), 0));
        shard.run();
        removes(0);
        reader(10);
        shard.now += 2_000;
        assertThat(received(queue)).isEmpty();
    }

    @Test
    void whatFailedBeforeLeavesNoFailureBehind() {
        Reader reader = reader(1);
        shard.publish(queue, 0, 1);
        reader.modify(reader.deliveries.get(0), true, false);
        shard.run();
        removes(0);
        shard.crash();
        assertThat(shard.store.recover(shard.state.epoch(), row -> {}).redeliveries())
                .isEmpty();
    }

    @Test
    void aLargeBodyGoesWithItsMessage() {
        shard.submit(shard.message(queue, new byte[1 << 20]));
        shard.run();
        removes(0);
        assertThat(shard.store.orphanedBodies()).isEmpty();
        assertThat(queue.quota().bytes()).isZero();
    }

    @Test
    void whatAConsumerHasStaysWithIt() {
        Reader reader = reader(10);
        shard.publish(queue, 0, 2);
        assertThat(remove(shard.reader(queue), 1)).satisfies(refusal -> {
            assertThat(refusal.code()).isEqualTo("RT-7211");
            assertThat(refusal.reason()).isEqualTo(Refusal.Reason.IN_USE);
            assertThat(refusal.text()).contains("message 1").contains("at a consumer");
        });
        reader.detach(false);
        shard.run();
        removes(1);
        assertThat(received(queue)).containsExactly("0");
    }

    @Test
    void whatATransactionHoldsStaysWithIt() {
        Reader reader = reader(10);
        shard.publish(queue, 0, 1);
        Enlisted enlisted = shard.dispatcher.mailbox().enlist(reader, reader.deliveries.get(0));
        shard.run();
        assertThat(remove(shard.reader(queue), 0).code()).isEqualTo("RT-7212");
        shard.dispatcher.mailbox().rolledBack(enlisted, false);
        shard.run();
        reader.detach(false);
        shard.run();
        removes(0);
        assertThat(queue.quota().messages()).isZero();
    }

    @Test
    void oneOfTwoSubscriptionsIsSettledForAndTheOtherStillOwes() {
        Address topic = shard.topic("t");
        Subscription one = shard.subscribe(topic, "one");
        Subscription two = shard.subscribe(topic, "two");
        shard.publish(topic, 0, 3);
        assertThat(remove(one, 1)).isNull();
        assertThat(shard.store.readMessage(1).owed()).isEqualTo(two.mask());
        assertThat(shard.entry(one).owedInRing()).isEqualTo(2);
        assertThat(shard.entry(two).owedInRing()).isEqualTo(3);
        assertThat(remove(two, 1)).isNull();
        assertThat(topic.quota().messages()).isEqualTo(2);
    }

    @Test
    void aMessageThatWasSettledMeanwhileStaysSettled() {
        Reader reader = reader(10);
        shard.publish(queue, 0, 1);
        MessageRow row = shard.store.readMessage(0);
        reader.acceptAll();
        shard.run();
        assertThat(remove(shard.reader(queue), row).code()).isEqualTo("RT-7212");
        assertThat(queue.quota().messages()).isZero();
    }
}
