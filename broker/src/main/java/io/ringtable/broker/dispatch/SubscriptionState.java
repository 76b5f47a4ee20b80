package io.ringtable.broker.dispatch;

import io.ringtable.broker.catalog.Subscription;
import java.util.ArrayList;
import java.util.List;

/**
 * A subscription with its consumers and what it owes them.
 * <p>
 * Thread: dispatcher.
 */
final class SubscriptionState {
    private final Subscription subscription;
    private final OwedSet owed;
    private final List<CreditWindow> consumers = new ArrayList<>();
    private int turn;
    private boolean reading; // a read-back is under way
    private long readTicket; // tells its result from that of one that was given up
    long bound = Long.MAX_VALUE; // highest sequence that may be delivered under what is durable; MAX = the shard's
    boolean boundRequested;
    int fences; // no reading until this many are passed: earlier settlements are durable then
    boolean parked; // no reading: the next message is damaged
    ReadBack.Damage damage; // the first damaged message that recovery found; null = none
    boolean dirty; // waits to be served in this turn
    boolean holding; // a volatile one that has no room and stopped its publishers
    long highestDelivered;
    long missing = -1; // a ring row that the last read-back did not find
    long nextOrder; // the count of a volatile subscription

    SubscriptionState(Subscription subscription, OwedSet owed) {
        this.subscription = subscription;
        this.owed = owed;
        this.highestDelivered = subscription.fromSequence() - 1;
    }

    Subscription subscription() {
        return subscription;
    }

    OwedSet owed() {
        return owed;
    }

    /** Messages of a volatile subscription that nobody has got yet. */
    long volatileWaiting() {
        return nextOrder - 1 - highestDelivered;
    }

    void add(CreditWindow consumer) {
        consumers.add(consumer);
    }

    void remove(CreditWindow consumer) {
        consumers.remove(consumer);
    }

    boolean isAttended() {
        return !consumers.isEmpty();
    }

    List<CreditWindow> consumers() {
        return consumers;
    }

    /** Consumers take turns. @return null if none has credit for anything in memory */
    CreditWindow nextConsumer() {
        for (int i = 0; i < consumers.size(); i++) {
            CreditWindow candidate = consumers.get((turn + i) % consumers.size());
            if (candidate.hasCredit() && owed.peek(candidate.consumer()) != null) {
                return candidate;
            }
        }
        return null;
    }

    /** The turn passes to the consumer after this one. */
    void delivered(CreditWindow consumer) {
        turn = (consumers.indexOf(consumer) + 1) % consumers.size();
    }

    /** @return true if it waited here, or may have */
    boolean settledElsewhere(long sequence) {
        for (CreditWindow consumer : consumers) {
            if (consumer.settledElsewhere(sequence)) {
                return false;
            }
        }
        if (owed.settledElsewhere(sequence)) {
            return true;
        }
        giveUpRead(); // it may have begun before the settlement was durable
        return true;
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
