package io.ringtable.broker.dispatch.owed;

import io.ringtable.broker.agent.Slice;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.memory.MemoryBudget;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.AddressQuota;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.MessageGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** One queue's subscription and its consumers, in memory: without a dispatcher, threads and a store. */
final class OneSubscription {
    static final int BODY_BYTES = 100;
    static final int WEIGHT = BODY_BYTES + Ready.OVERHEAD_BYTES;
    private static final int CREDIT = 1_000;

    final Subscription subscription;
    final MemoryBudget budget;
    final OwedSet owed;
    final List<TestRecipient> consumers = new ArrayList<>();
    private final Address queue = new Address(1, "q", AddressKind.QUEUE, new AddressQuota(1_000, 1_000_000));

    /** @param room in memory, in messages */
    OneSubscription(int inMemoryMax, int room, boolean isStored) {
        subscription = new Subscription(1, queue, "", "", 0, 0, 0, null, false, true);
        budget = new MemoryBudget((long) room * WEIGHT);
        owed = new OwedSet(budget, inMemoryMax, isStored, 0);
    }

    OneSubscription() {
        this(1_000, 1_000, true);
    }

    // ---- consumers

    /** Takes whatever comes. */
    TestRecipient consumer() {
        return consumer(message -> true);
    }

    TestRecipient consumer(Predicate<Message> wanted) {
        TestRecipient consumer = new TestRecipient(owed, wanted);
        consumer.credit(CREDIT);
        consumers.add(consumer);
        owed.consumerCame();
        return consumer;
    }

    void leaves(TestRecipient consumer) {
        consumers.remove(consumer);
        owed.consumerWent(consumer);
    }

    /** The consumer gets the message. */
    Delivery deliver(TestRecipient consumer, Ready ready) {
        Delivery delivery = new Delivery(
                ready.message(), subscription, ready.sequence(), 0, 1, 1, ready.failures(), ready.redelivered());
        consumer.deliver(delivery);
        return delivery;
    }

    // ---- messages

    Ready ready(long sequence) {
        return ready(sequence, Message.PRIORITY_NORMAL, 0, null);
    }

    Ready ready(long sequence, int priority) {
        return ready(sequence, priority, 0, null);
    }

    Ready ofGroup(long sequence, String group) {
        return ready(sequence, Message.PRIORITY_NORMAL, 0, new MessageGroup(group, false));
    }

    /** Closes its group. */
    Ready lastOfGroup(long sequence, String group) {
        return ready(sequence, Message.PRIORITY_NORMAL, 0, new MessageGroup(group, true));
    }

    Ready ready(long sequence, int priority, long deliverAt, MessageGroup group) {
        Message message = new Message(queue, 0, priority, 0, deliverAt, new byte[BODY_BYTES], 0, group);
        return new Ready(message, sequence, 0, 1, 0, false, null);
    }

    /** The same after a delivery that failed. */
    static Ready failed(Ready ready) {
        return new Ready(ready.message(), ready.sequence(), 0, 1, ready.failures() + 1, true, ready.notHere());
    }

    /** The same, and not for that consumer. */
    static Ready notFor(Ready ready, TestRecipient consumer) {
        return new Ready(ready.message(), ready.sequence(), 0, 1, 0, false, consumer);
    }

    /** Long enough for whatever is asked. */
    static Slice slice() {
        return slice(1_000_000);
    }

    static Slice slice(int steps) {
        Slice slice = new Slice(steps, 1, () -> 0);
        slice.begin();
        return slice;
    }

    /** Takes out what the consumer may have, one after the other. @return their sequences */
    List<Long> takeAll(TestRecipient consumer) {
        List<Long> taken = new ArrayList<>();
        for (Ready next; (next = owed.peek(consumer, consumers, slice())) != null; ) {
            owed.take(next);
            owed.given(next, consumer, consumers);
            taken.add(next.sequence());
        }
        return taken;
    }
}
