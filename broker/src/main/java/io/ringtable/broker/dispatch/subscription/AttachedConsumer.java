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
 * Holds one consumer's credit, and the deliveries that it has not settled.
 * <p>
 * Thread: dispatcher; {@link #take}, {@link #forgetSettledElsewhere} and {@link #settled} are for the consumer's thread
 * too, and any may look at {@link #unsettled}.
 */
public final class AttachedConsumer implements Recipient {
    private final Consumer consumer;
    private final SubscriptionState subscription;
    private final Selector selector;
    private final Consumer.Choice choice; // null = the selector decides
    private final long unsettledBytesMax;
    private final UnsettledBytes ofAll;
    private final UnsettledBytes.ConnectionBytes ofConnection;
    private final Runnable roomAgain;

    /**
     * Holds by sequence what is on its way to the consumer, or taken by it. The dispatcher puts a delivery in before
     * the consumer sees it. Dispatcher and consumer's thread both remove; the one that succeeds decides what becomes of
     * the delivery.
     */
    private final Map<Long, Delivery> unsettled = new ConcurrentHashMap<>();
    /**
     * Marks by sequence unsettled deliveries that were settled elsewhere. The dispatcher adds a mark under the lock of
     * the delivery's entry in {@link #unsettled}. The thread that has removed that entry removes the mark next.
     */
    private final Set<Long> settledElsewhere = ConcurrentHashMap.newKeySet();
    /**
     * Counts the bytes of the unsettled. The dispatcher alone raises the count; the thread that has removed a delivery
     * from {@link #unsettled} lowers it.
     */
    private final AtomicLong unsettledBytes = new AtomicLong();

    private long limit;
    private long delivered;
    private boolean draining;

    /** @param roomAgain told when the connection, which held too much, can take more */
    public AttachedConsumer(
            Consumer consumer,
            SubscriptionState subscription,
            long unsettledBytesMax,
            UnsettledBytes ofAll,
            Runnable roomAgain) {
        this.consumer = consumer;
        this.subscription = subscription;
        this.selector = consumer.selector();
        this.choice = consumer.choice();
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
        if (selector == null && choice == null) {
            return true;
        }
        slice.stepThrough(ready.message().bytes());
        return choice == null ? selector.matches(ready.message()) : choice.mayHave(ready.message(), ready.sequence());
    }

    /**
     * Sets how far the consumer may be served.
     *
     * @param newLimit deliveries since it was attached
     */
    public void limit(long newLimit, boolean drain) {
        limit = newLimit;
        draining = drain;
    }

    /** Takes all credit back, and says so behind what the consumer has got. */
    public void recall() {
        limit(delivered, false);
        consumer.recalled();
    }

    @Override
    public boolean hasCredit() {
        return creditState() == CreditState.FREE;
    }

    /** Returns whether the consumer could take a message now, and if not, why. */
    public CreditState creditState() {
        if (delivered >= limit) {
            return CreditState.NO_CREDIT;
        }
        if (unsettledBytes.get() >= unsettledBytesMax) {
            return CreditState.CONSUMER_FULL;
        }
        return ofConnection.hasRoom() ? CreditState.FREE : CreditState.CONNECTION_FULL;
    }

    /** Returns the bytes of messages that the consumer has not settled. */
    public long unsettledBytes() {
        return unsettledBytes.get();
    }

    /** Returns whether the consumer may have the message, whatever its credit, and if not, why. */
    public Fitness fitness(Ready ready, Slice slice) {
        if (mayHave(ready, slice)) {
            return Fitness.FITS;
        }
        if (ready.notHere() == consumer) {
            return Fitness.NOT_HERE;
        }
        return subscription.owed().groupAllows(this, ready) ? Fitness.SELECTOR : Fitness.GROUP;
    }

    /** Returns the delivery of that message if the consumer has it and has not settled it; else null. */
    public Delivery delivery(long sequence) {
        return unsettled.get(sequence);
    }

    /** Returns how many deliveries the consumer has not settled. */
    public int unsettledCount() {
        return unsettled.size();
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

    /**
     * Takes a delivery out of the unsettled ones. Thread: any.
     *
     * @return false if the consumer does not have it
     */
    public boolean take(Delivery delivery) {
        return unsettled.remove(delivery.sequence(), delivery);
    }

    /**
     * Marks a message that was settled in a transaction of the database. The message stays with the consumer, which
     * will hardly know yet, and does not come back.
     *
     * @return false if the consumer does not have it
     */
    public boolean settledElsewhere(long sequence) {
        // Within the map's lock: a thread that takes the delivery after this finds the mark.
        return unsettled.computeIfPresent(sequence, (key, delivery) -> {
                    settledElsewhere.add(key);
                    return delivery;
                })
                != null;
    }

    /**
     * Removes the mark, after {@link #take}. Thread: any.
     *
     * @return whether the message is over already, whatever the consumer says of it
     */
    public boolean forgetSettledElsewhere(Delivery delivery) {
        return !settledElsewhere.isEmpty() && settledElsewhere.remove(delivery.sequence());
    }

    /**
     * Frees the bytes of a delivery, after {@link #take}. Thread: any.
     *
     * @return true if the consumer could take no more before, and can now
     */
    public boolean settled(Delivery delivery) {
        int bytes = delivery.message().bytes();
        long now = unsettledBytes.addAndGet(-bytes);
        ofConnection.give(bytes);
        return now < unsettledBytesMax && now + bytes >= unsettledBytesMax;
    }

    /** Returns the unsettled deliveries in order, arrived or not. */
    @Override
    public List<Delivery> unsettled() {
        return unsettled.values().stream()
                .sorted(Comparator.comparingLong(Delivery::sequence))
                .toList();
    }

    /** Ends the count of unsettled bytes of a consumer that has gone. */
    public void end() {
        ofAll.leave(consumer.mailbox(), roomAgain);
    }

    /** Answers a drain: the unused credit is void. */
    public void drained() {
        draining = false;
        consumer.drained(limit);
        delivered = Math.max(delivered, limit); // it may have got more before the limit was lowered
    }
}
