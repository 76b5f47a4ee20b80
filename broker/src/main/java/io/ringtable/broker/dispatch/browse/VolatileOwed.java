package io.ringtable.broker.dispatch.browse;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.owed.Ready;
import io.ringtable.broker.dispatch.subscription.AttachedConsumer;
import io.ringtable.broker.dispatch.subscription.SubscriptionState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;

/**
 * Holds what a volatile subscription owed when the dispatcher was asked: what waited, and the consumers that have the
 * rest. Messages that a transaction holds are not here, and those that change hands meanwhile may be missing.
 * <p>
 * Thread: made by the dispatcher, read by any.
 */
public final class VolatileOwed {
    private final Subscription subscription;
    private final List<Ready> waiting;
    private final List<AttachedConsumer> consumers;

    private VolatileOwed(Subscription subscription, List<Ready> waiting, List<AttachedConsumer> consumers) {
        this.subscription = subscription;
        this.waiting = waiting;
        this.consumers = consumers;
    }

    /** Copies references, and looks at no message. Thread: dispatcher. */
    static VolatileOwed of(SubscriptionState state) {
        return new VolatileOwed(
                state.subscription(), state.owed().facts().allInMemory(), new ArrayList<>(state.consumers()));
    }

    /** Counts what waits or is with consumers. Thread: dispatcher. */
    static long count(SubscriptionState state) {
        long count = state.owed().inMemory();
        for (AttachedConsumer consumer : state.consumers()) {
            count += consumer.unsettledCount();
        }
        return count;
    }

    public Subscription subscription() {
        return subscription;
    }

    /** Returns the messages in the order in which they came; each has the number that the subscription gave it. */
    public Collection<Ready> inOrder() {
        return byNumber().values();
    }

    /** Returns the message of that number; null if it is not among them. */
    public Ready find(long number) {
        return byNumber().get(number);
    }

    private TreeMap<Long, Ready> byNumber() {
        TreeMap<Long, Ready> byNumber = new TreeMap<>();
        waiting.forEach(ready -> byNumber.put(ready.sequence(), ready));
        for (AttachedConsumer consumer : consumers) {
            for (Delivery delivery : consumer.unsettled()) {
                byNumber.putIfAbsent(delivery.sequence(), ready(delivery));
            }
        }
        return byNumber;
    }

    private static Ready ready(Delivery delivery) {
        return new Ready(
                delivery.message(),
                delivery.sequence(),
                delivery.group(),
                delivery.pending(),
                delivery.failures(),
                delivery.redelivered(),
                null);
    }
}
