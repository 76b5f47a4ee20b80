package io.ringtable.broker.dispatch;

import io.ringtable.broker.agent.Slice;
import io.ringtable.broker.catalog.Selector;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How far one consumer may be served.
 * <p>
 * Thread: dispatcher; only what is unsettled is counted down by the consumer's thread as well.
 */
final class AttachedConsumer {
    private final Consumer consumer;
    private final SubscriptionState subscription;
    private final Selector selector;
    private final long unsettledBytesMax;
    private final AtomicLong unsettledBytes = new AtomicLong();
    private final UnsettledBytes ofAll;
    private final UnsettledBytes.Part ofConnection;
    private final Runnable roomAgain;
    private final Map<Long, Delivery> unsettled =
            new ConcurrentHashMap<>(); // by sequence; on their way, or taken by it
    private final Set<Long> settledElsewhere = ConcurrentHashMap.newKeySet(); // of the unsettled, by sequence
    private long limit;
    private long delivered;
    private boolean draining;

    /** @param roomAgain told where it could take no more, as its connection held too much, and can now */
    AttachedConsumer(
            Consumer consumer,
            SubscriptionState subscription,
            long unsettledBytesMax,
            UnsettledBytes ofAll,
            Runnable roomAgain) {
        this.consumer = consumer;
        this.subscription = subscription;
        this.selector = consumer.selector();
        this.unsettledBytesMax = unsettledBytesMax;
        this.ofAll = ofAll;
        this.ofConnection = ofAll.enter(consumer.mailbox(), roomAgain);
        this.roomAgain = roomAgain;
    }

    Consumer consumer() {
        return consumer;
    }

    SubscriptionState subscription() {
        return subscription;
    }

    /** Whether it is for this consumer, whatever its credit. @param slice of which the question takes its part */
    boolean mayHave(Ready ready, Slice slice) {
        slice.step();
        if (ready.notHere() == consumer || !subscription.owed().groups().mayHave(this, ready)) {
            return false;
        }
        if (selector == null) {
            return true;
        }
        slice.stepThrough(ready.message().bytes());
        return selector.matches(ready.message());
    }

    void limit(long newLimit, boolean drain) {
        limit = newLimit;
        draining = drain;
    }

    boolean hasCredit() {
        return delivered < limit && unsettledBytes.get() < unsettledBytesMax && ofConnection.hasRoom();
    }

    boolean isUsedUp() {
        return delivered >= limit;
    }

    boolean isDraining() {
        return draining;
    }

    void deliver(Delivery delivery) {
        delivered++;
        unsettledBytes.addAndGet(delivery.message().bytes());
        ofConnection.take(delivery.message().bytes());
        unsettled.put(delivery.sequence(), delivery);
        consumer.deliver(delivery);
    }

    /** The consumer is done with it. @return false if it was already, or it never had it */
    boolean take(Delivery delivery) {
        return unsettled.remove(delivery.sequence(), delivery);
    }

    /**
     * Somebody has settled it in a transaction: it stays with the consumer, who will hardly know yet, and does not come back.
     *
     * @return false if the consumer does not have it
     */
    boolean settledElsewhere(long sequence) {
        // Within the map's lock: whoever takes it after this finds the mark.
        return unsettled.computeIfPresent(sequence, (key, delivery) -> {
                    settledElsewhere.add(key);
                    return delivery;
                })
                != null;
    }

    /** After {@link #take}. @return whether it is over already, whatever the consumer says of it */
    boolean forgetSettledElsewhere(Delivery delivery) {
        return !settledElsewhere.isEmpty() && settledElsewhere.remove(delivery.sequence());
    }

    /** After {@link #take}: its bytes are free. @return true if it could take no more before and can now */
    boolean settled(Delivery delivery) {
        int bytes = delivery.message().bytes();
        long now = unsettledBytes.addAndGet(-bytes);
        ofConnection.give(bytes);
        return now < unsettledBytesMax && now + bytes >= unsettledBytesMax;
    }

    /** Everything that it was given and is not done with, whether it has arrived or not; in order. */
    List<Delivery> unsettled() {
        return unsettled.values().stream()
                .sorted(Comparator.comparingLong(Delivery::sequence))
                .toList();
    }

    /** The consumer has gone. */
    void end() {
        ofAll.leave(consumer.mailbox(), roomAgain);
    }

    /** The unused credit is void. */
    void drained() {
        draining = false;
        consumer.drained(limit);
        delivered = limit;
    }
}
