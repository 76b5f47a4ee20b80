package io.ringtable.broker.dispatch;

import io.ringtable.broker.agent.Slice;
import io.ringtable.broker.catalog.Subscription;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A subscription with its consumers and what it owes them.
 * <p>
 * Thread: dispatcher; {@link #enlisting} and {@link #notEnlisted} are called by event loops.
 */
final class SubscriptionState {
    private final Subscription subscription;
    private final AddressPolicy policy;
    private final OwedSet owed;
    private final List<AttachedConsumer> consumers = new ArrayList<>();
    private int first; // the consumer that a round begins with
    private int asked; // how many have been asked since then, and found nothing
    private Ready next; // what the consumer that was found gets
    private boolean reading; // a read-back is under way
    private long readTicket; // tells its result from that of one that was given up
    long bound = Long.MAX_VALUE; // highest sequence that may be delivered under what is durable; MAX = the shard's
    boolean boundRequested;
    int fences; // no reading until this many are passed: earlier settlements are durable then
    boolean parked; // no reading: the next message is damaged
    StoreReader.Damage damage; // the first damaged message that recovery found; null = none
    boolean ended; // nobody reads it any more, nor ever will
    boolean waitsForService; // in this turn of the dispatcher or a later one
    boolean changed; // since its consumers were asked for the first time after a delivery
    boolean holding; // a volatile one that has no room and stopped its publishers
    long highestDelivered;
    long missing = -1; // a row that the last read-back did not find
    boolean missingInBacklog;
    boolean waits; // has messages for later
    long nextOrder; // the count of a volatile subscription
    private final AtomicInteger enlisted = new AtomicInteger(); // deliveries in transactions; raised by event loops
    private final Set<Long> overWhileEnlisted = new HashSet<>(); // settled elsewhere while some were enlisted

    SubscriptionState(Subscription subscription, AddressPolicy policy, OwedSet owed) {
        this.subscription = subscription;
        this.policy = policy;
        this.owed = owed;
        this.highestDelivered = subscription.fromSequence() - 1;
    }

    Subscription subscription() {
        return subscription;
    }

    AddressPolicy policy() {
        return policy;
    }

    OwedSet owed() {
        return owed;
    }

    void add(AttachedConsumer consumer) {
        consumers.add(consumer);
        asked = 0;
        owed.consumerCame();
    }

    void remove(AttachedConsumer consumer) {
        consumers.remove(consumer);
        asked = 0;
        owed.consumerWent(consumer);
        if (policy.exclusive()) {
            owed.consumerCame(); // the next one is served only now
        }
    }

    boolean isAttended() {
        return !consumers.isEmpty();
    }

    List<AttachedConsumer> consumers() {
        return consumers;
    }

    /**
     * Consumers take turns; where a slice ended, the next one goes on.
     *
     * @return null if none has credit for anything in memory, or the slice was over before one was found
     */
    AttachedConsumer nextConsumer(Slice slice) {
        if (asked == 0) {
            changed = false;
        }
        while (asked < consumers.size() && !slice.isOver()) {
            AttachedConsumer candidate = consumers.get((first + asked) % consumers.size());
            slice.step();
            if (candidate.hasCredit() && isServed(candidate)) {
                next = owed.peek(candidate, served(), slice);
                if (next != null) {
                    return candidate;
                }
                if (owed.isInterrupted()) {
                    return null;
                }
            }
            asked++;
        }
        return null;
    }

    /** What the consumer that was found may have. */
    Ready next() {
        return next;
    }

    /** After {@link #nextConsumer} found none. @return false if not all were asked, as the slice was over */
    boolean endRound() {
        boolean all = asked >= consumers.size();
        if (all) {
            asked = 0;
        }
        return all;
    }

    /** Those that get something. */
    List<AttachedConsumer> served() {
        return policy.exclusive() ? consumers.subList(0, Math.min(1, consumers.size())) : consumers;
    }

    /** Of an exclusive address only the consumer that has been there longest. */
    boolean isServed(AttachedConsumer consumer) {
        return !policy.exclusive() || consumers.get(0) == consumer;
    }

    /** After a round that found none: has read back what was set aside for one with credit. @return if there are any */
    boolean areSomeHungry() {
        boolean hungry = false;
        boolean recalled = false;
        for (int i = 0; i < consumers.size(); i++) {
            AttachedConsumer consumer = consumers.get((first + i) % consumers.size());
            if (consumer.hasCredit() && isServed(consumer)) {
                hungry = true;
                recalled = recalled || owed.recall(consumer);
            }
        }
        return hungry;
    }

    /** What was found was given: the next round begins with the next consumer. */
    void delivered() {
        first = (first + asked + 1) % consumers.size();
        asked = 0;
    }

    /** What was found is not to be given: the same consumer is asked again. */
    void notDelivered() {
        first = (first + asked) % consumers.size();
        asked = 0;
    }

    /** @return true if it waited here, or may have */
    boolean settledElsewhere(long sequence) {
        for (AttachedConsumer consumer : consumers) {
            if (consumer.settledElsewhere(sequence)) {
                return false;
            }
        }
        if (enlisted.get() > 0) {
            overWhileEnlisted.add(sequence);
        }
        if (owed.settledElsewhere(sequence)) {
            return true;
        }
        giveUpRead(); // it may have begun before the settlement was durable
        return true;
    }

    // Transactions

    /** A delivery is about to leave its consumer for a transaction. Thread: any. */
    void enlisting() {
        enlisted.incrementAndGet();
    }

    /** It was not the consumer's any more. Thread: any. */
    void notEnlisted() {
        enlisted.decrementAndGet();
    }

    /** Its transaction has ended. */
    void enlistedNoMore() {
        if (enlisted.decrementAndGet() == 0) {
            overWhileEnlisted.clear();
        }
    }

    /** Whether somebody has settled it while a transaction held it. */
    boolean wasSettledElsewhere(long sequence) {
        return overWhileEnlisted.contains(sequence);
    }

    // Reading back

    boolean mayRead() {
        return isAttended() && !reading && fences == 0 && !parked;
    }

    /** @return what {@link #endRead} is to be given */
    long beginRead() {
        reading = true;
        return ++readTicket;
    }

    /** @return false if that read was given up: what it found is out of date */
    boolean endRead(long ticket) {
        if (ticket != readTicket || !reading) {
            return false;
        }
        reading = false;
        return true;
    }

    void giveUpRead() {
        reading = false;
    }
}
