package io.ringtable.broker.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.dispatch.policy.PolicyChange;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressPattern;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Subscriptions that exist follow the policies of now: for what fails next, and for who is served next. */
class PolicyChangesTest extends SteppedQueueTest {
    private void set(Integer deliveriesMax, String deadLetterQueue, Boolean exclusive) {
        PolicyChange change = new PolicyChange(
                null,
                null,
                deliveriesMax,
                deadLetterQueue,
                null,
                null,
                null,
                null,
                exclusive,
                null,
                null,
                null,
                null,
                null,
                null,
                null);
        shard.dispatcher.policies(
                shard.policies.with(List.of(new AddressPolicies.RuntimeRule(new AddressPattern(QUEUE), change))));
        shard.run();
    }

    @Test
    void aMessageThatFailedMovesWhenItFailsOnceMoreThanIsAllowedNow() {
        Reader reader = reader(100);
        shard.publish(queue, 0, 2);
        reader.modify(reader.deliveries.get(0), true, false);
        shard.run();
        Address dead = shard.queue("dead");
        set(2, "dead", null);
        assertThat(reader.deliveries).hasSize(3);
        reader.modify(reader.deliveries.get(2), true, false); // the first message, for the second time
        reader.modify(reader.deliveries.get(1), true, false); // the second message, for the first time
        shard.run();
        assertThat(received(dead)).hasSize(1);
        assertThat(reader.deliveries).hasSize(4);
        assertThat(SteppedShard.text(reader.deliveries.get(3))).isEqualTo("1");
    }

    @Test
    void consumersAreServedTogetherOrOneAtATimeAsItIsNow() {
        Reader one = reader(100);
        Reader two = reader(100);
        shard.publish(queue, 0, 10);
        assertThat(two.deliveries).hasSize(5);
        set(null, null, true);
        shard.publish(queue, 10, 20);
        assertThat(one.deliveries).hasSize(15);
        assertThat(two.deliveries).hasSize(5);
        shard.dispatcher.policies(shard.policies);
        shard.publish(queue, 20, 30);
        assertThat(two.deliveries).hasSizeGreaterThan(5);
        assertThat(one.deliveries.size() + two.deliveries.size()).isEqualTo(30);
    }

    @Test
    void theSecondConsumerGetsWhatTheFirstHadNoCreditForOnceBothAreServed() {
        set(null, null, true);
        Reader one = reader(1);
        Reader two = reader(100);
        shard.publish(queue, 0, 10);
        assertThat(one.deliveries).hasSize(1);
        assertThat(two.deliveries).isEmpty();
        shard.dispatcher.policies(shard.policies);
        shard.run();
        assertThat(two.texts()).isEqualTo(numbers(1, 10));
    }
}
