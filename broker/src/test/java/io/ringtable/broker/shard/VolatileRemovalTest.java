package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.consumer.Enlisted;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.Refusal;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that an operator drops a message that memory alone has wherever it waits, and leaves what others have. */
class VolatileRemovalTest extends SteppedTest {
    private Address replies;
    private Subscription reader;

    @Override
    void configure(SteppedShard unopened) {
        unopened.dispatch = SMALL;
    }

    @BeforeEach
    void make() {
        replies = shard.await(shard.doors.catalog().createTemporary(AddressKind.QUEUE, null));
        reader = shard.reader(replies);
    }

    /** Returns the code of the refusal; null if the message is gone. */
    private String remove(long number) {
        List<Refusal> outcome = new ArrayList<>();
        boolean[] answered = {false};
        shard.dispatcher.removals().removeVolatile(reader, number, refusal -> {
            answered[0] = true;
            if (refusal != null) {
                outcome.add(refusal);
            }
        });
        shard.run();
        assertThat(answered[0]).isTrue();
        return outcome.isEmpty() ? null : outcome.get(0).code();
    }

    private void delayed(String text, long ms) {
        shard.submit(new Message(replies, shard.now, 4, 0, shard.now + ms, SteppedShard.bytes(text), 0));
        shard.run();
    }

    @Test
    void whatWaitsIsDroppedAndTheRestIsDelivered() {
        shard.publish(replies, 0, 5);
        assertThat(remove(0)).isNull();
        assertThat(remove(3)).isNull();
        assertThat(remove(3)).as("once").isEqualTo("RT-7212");
        assertThat(received(replies)).containsExactly("1", "2", "4");
        assertThat(shard.dispatcher.memoryBytes()).isZero();
    }

    @Test
    void whatIsDelayedIsDroppedWithItsMemory() {
        delayed("later", 1_000);
        delayed("later still", 2_000);
        assertThat(remove(0)).isNull();
        shard.now += 5_000;
        assertThat(received(replies)).containsExactly("later still");
        assertThat(shard.dispatcher.memoryBytes()).isZero();
    }

    @Test
    void theGroupOfWhatIsDroppedGoesOnWithItsConsumer() {
        shard.publish(replies, "[g]first");
        shard.publish(replies, "[g]second");
        shard.run();
        Reader consumer = shard.attach(reader, 1);
        shard.run();
        assertThat(consumer.texts()).containsExactly("[g]first");
        consumer.modify(consumer.deliveries.get(0), true, false);
        shard.run();
        assertThat(remove(0)).isNull();
        consumer.credit(10);
        shard.run();
        assertThat(consumer.texts()).containsExactly("[g]first", "[g]second");
    }

    @Test
    void whatAConsumerOrATransactionHasStays() {
        shard.publish(replies, 0, 2);
        Reader consumer = shard.attach(reader, 10);
        shard.run();
        assertThat(remove(0)).isEqualTo("RT-7211");
        Enlisted enlisted = shard.dispatcher.mailbox().enlist(consumer, consumer.deliveries.get(0));
        consumer.unsettled.remove(consumer.deliveries.get(0));
        assertThat(remove(0)).isEqualTo("RT-7212");
        shard.dispatcher.mailbox().committed(enlisted);
        shard.run();
        assertThat(consumer.unsettled).hasSize(1);
    }

    @Test
    void publishersThatItHeldBackGoOn() {
        int most = SMALL.volatileMessagesMax();
        shard.publish(replies, 0, most + 1);
        assertThat(replies.quota().isHeld()).isTrue();
        for (int number = 0; number <= most / 2; number++) {
            assertThat(remove(number)).isNull();
        }
        assertThat(replies.quota().isHeld()).isFalse();
    }

    @Test
    void aSubscriptionThatIsGoneHasNothingToDrop() {
        shard.publish(replies, 0, 1);
        shard.await(shard.doors.catalog().delete(replies));
        assertThat(remove(0)).isEqualTo("RT-7210");
    }
}
