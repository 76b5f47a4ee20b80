package io.ringtable.broker.dispatch.subscription;

import io.ringtable.broker.agent.Slice;
import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.dispatch.consumer.Consumer;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.memory.UnsettledBytes;
import io.ringtable.broker.dispatch.owed.Ready;
import io.ringtable.broker.dispatch.owed.Recipient;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Holds one consumer's credit, and what it was given and is not done with.
 * <p>
 * Thread: dispatcher; {@link #take}, {@link #forgetSettledElsewhere} and {@link #settled} are for the consumer's thread
 * too.
 */
public final class AttachedConsumer implements Recipient {
    private final Consumer consumer;
    private final SubscriptionState subscription;
    private final Selector selector;
    private final long unsettledBytesMax;
    private final UnsettledBytes ofAll;
    private final UnsettledBytes.ConnectionBytes ofConnection;
    private final Runnable roomAgain;

    /**
     * By sequence: what is on its way to the consumer, or taken by it. The dispatcher puts a delivery in before the
     * consumer sees it. Dispatcher and consumer's thread both remove; whoever succeeds alone decides what becomes of
     * the delivery.
     */
    private final Map<Long, Delivery> unsettled = new ConcurrentHashMap<>();
    /**
     * Of the unsettled, by sequence. The dispatcher adds while it holds the lock of the delivery's entry in
     * {@link #unsettled}; whoever has removed that entry removes from here next.
     */
    private final Set<Long> settledElsewhere = ConcurrentHashMap.newKeySet();
    /**
     * Bytes of the unsettled. The dispatcher alone raises it; whoever has removed a delivery from {@link #unsettled}
     * lowers it.
     */
    private final AtomicLong unsettledBytes = new AtomicLong();

    private long limit;
    private long delivered;
    private boolean draining;

    /** @param roomAgain told where it could take no more, as its connection held too much, and can now */
    public AttachedConsumer(
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

    public Consumer consumer() {
        return consumer;
    }

    public SubscriptionState subscription() {
        return subscription;
    }

    @Override
    public boolean mayHave(Ready ready, Slice slice) {
        slice.step();
        if (ready.notHere() == consumer || !subscription.owed().groupAllows(this, ready)) {
            return false;
        }
        if (selector == null) {
            return true;
        }
        slice.stepThrough(ready.message().bytes());
        return selector.matches(ready.message());
    }

    /** Sets how far it may be served. @param newLimit deliveries since it was attached */
    public void limit(long newLimit, boolean drain) {
        limit = newLimit;
        draining = drain;
    }

    @Override
    public boolean hasCredit() {
        return delivered < limit && unsettledBytes.get() < unsettledBytesMax && ofConnection.hasRoom();
    }

    public boolean isDraining() {
        return draining;
    }

    public void deliver(Delivery delivery) {
        delivered++;
        unsettledBytes.addAndGet(delivery.message().bytes());
        ofConnection.take(delivery.message().bytes());
        unsettled.put(delivery.sequence(), delivery);
        consumer.deliver(delivery);
    }

    /** Says that the consumer is done with it. Thread: any. @return false if it was already, or it never had it */
    public boolean take(Delivery delivery) {
        return unsettled.remove(delivery.sequence(), delivery);
    }

    /**
     * Marks a message that somebody has settled in a transaction: it stays with the consumer, who will hardly know yet,
     * and does not come back.
     *
     * @return false if the consumer does not have it
     */
    public boolean settledElsewhere(long sequence) {
        // Within the map's lock: whoever takes it after this finds the mark.
        return unsettled.computeIfPresent(sequence, (key, delivery) -> {
                    settledElsewhere.add(key);
                    return delivery;
                })
                != null;
    }

    /**
     * Removes the mark, after {@link #take}. Thread: any.
     *
     * @return whether it is over already, whatever the consumer says of it
     */
    public boolean forgetSettledElsewhere(Delivery delivery) {
        return !settledElsewhere.isEmpty() && settledElsewhere.remove(delivery.sequence());
    }

    /** Frees its bytes, after {@link #take}. Thread: any. @return true if it could take no more before and can now */
    public boolean settled(Delivery delivery) {
        int bytes = delivery.message().bytes();
        long now = unsettledBytes.addAndGet(-bytes);
        ofConnection.give(bytes);
        return now < unsettledBytesMax && now + bytes >= unsettledBytesMax;
    }

    /** Whether it has arrived or not. */
    @Override
    public List<Delivery> unsettled() {
        return unsettled.values().stream()
                .sorted(Comparator.comparingLong(Delivery::sequence))
                .toList();
    }

    /** The consumer has gone. */
    public void end() {
        ofAll.leave(consumer.mailbox(), roomAgain);
    }

    /** Answers a drain: the unused credit is void. */
    public void drained() {
        draining = false;
        consumer.drained(limit);
        delivered = limit;
    }
}
