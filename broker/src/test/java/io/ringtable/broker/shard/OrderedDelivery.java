package io.ringtable.broker.shard;

import io.ringtable.broker.dispatch.policy.AddressPolicies;
import io.ringtable.broker.dispatch.policy.AddressPolicy;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Message;
import java.util.List;

/**
 * Tests of what comes before what, with a window of 16 messages, so that most of it is read back from a real SQLite
 * file. Addresses under {@code rests} rest after a failure, those under {@code exclusive} have one consumer,
 * {@code expires} moves what is late.
 */
abstract class OrderedDelivery extends SteppedQueueTest {
    static final AddressPolicies POLICIES = new AddressPolicies(
            List.of(
                    new AddressPolicies.Rule("rests.*", new AddressPolicy(4, "DLQ", "", 100, 2, 300, false)),
                    new AddressPolicies.Rule("exclusive.#", new AddressPolicy(4, "DLQ", "", 0, 1, 0, true)),
                    new AddressPolicies.Rule("expires", new AddressPolicy(4, "DLQ", "expired", 0, 1, 0, false))),
            AddressPolicy.of(4, "DLQ"));

    @Override
    final void configure(SteppedShard unopened) {
        unopened.dispatch = SMALL;
        unopened.policies = POLICIES;
    }

    Reader reader(Address address, String prefix, long credit) {
        return shard.attach(shard.reader(address), prefix, credit);
    }

    void publish(Address address, String text, int priority, long expiresAt, long deliverAt) {
        shard.submit(new Message(address, shard.now, priority, expiresAt, deliverAt, SteppedShard.bytes(text), 0));
    }

    void publish(Address address, String text) {
        publish(address, text, Message.PRIORITY_NORMAL, 0, 0);
    }
}
