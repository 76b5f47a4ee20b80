package io.ringtable.broker.dispatch.subscription;

import io.ringtable.broker.agent.Slice;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.owed.OwedSet;
import io.ringtable.broker.dispatch.owed.Ready;
import io.ringtable.broker.dispatch.policy.AddressPolicy;
import java.util.ArrayList;
import java.util.List;

/**
 * Holds a subscription's consumers, what it owes them, and how far it may be served.
 * <p>
 * Each round asks every consumer once. A round begins with the consumer behind the last that was given a message. A
 * slice may end in the middle of a round, which then goes on in a later turn.
 * <p>
 * Thread: dispatcher; {@link #enlisted} is for event loops too.
 */
public final class SubscriptionState {
    /** Stands for the dispatch bound of a subscription that follows the shard's. */
    private static final long FOLLOWS_SHARD = Long.MAX_VALUE;

    private final Subscription subscription;
    private AddressPolicy policy;
    private final OwedSet owed;
    private final ReadProgress reads = new ReadProgress();
    private final EnlistedDeliveries enlisted = new EnlistedDeliveries();
    private final OpenMoves moves = new OpenMoves();
    private final List<AttachedConsumer> consumers = new ArrayList<>();
    private int first; // consumer that the round begins with
    private int asked; // consumers that were asked in this round and got nothing
    private Ready next; // what the consumer found may have
    private boolean changed; // since this round began
    private boolean waitsForService; // in this turn of the dispatcher or a later one
    private boolean isListedAsDelayed; // has messages for later
    private boolean holdsPublishers; // a volatile one that has no room
    private boolean ended; // it will never have a consumer again
    private long dispatchBound = FOLLOWS_SHARD; // highest sequence that may be delivered under what is durable
    private boolean boundRequested; // a new dispatch bound is on its way to the store
    private long highestDelivered;
    private long nextOrder; // the count of a volatile subscription

    SubscriptionState(Subscription subscription, AddressPolicy policy, OwedSet owed) {
        this.subscription = subscription;
        this.policy = policy;
        this.owed = owed;
        this.highestDelivered = subscription.fromSequence() - 1;
    }

    public Subscription subscription() {
        return subscription;
    }

    public AddressPolicy policy() {
        return policy;
    }

    /** Takes another policy for what happens from now on; what rests already rests as long as it was to. */
    void policy(AddressPolicy other) {
        policy = other;
        asked = 0;
        owed.consumerCame(); // perhaps others are served now than before
    }

    public OwedSet owed() {
        return owed;
    }

    /** Returns how far the subscription has been read back from the store. */
    public ReadProgress reads() {
        return reads;
    }

    /** Returns the deliveries that transactions hold. */
    public EnlistedDeliveries enlisted() {
        return enlisted;
    }

    /** Returns the moves that policies have begun. */
    public OpenMoves moves() {
        return moves;
    }

    /** Ends the subscription for good: it will never have a consumer again. */
    public void end() {
        ended = true;
    }

    public boolean hasEnded() {
        return ended;
    }

    // ---- consumers

    public void add(AttachedConsumer consumer) {
        consumers.add(consumer);
        asked = 0;
        owed.consumerCame();
    }

    public void remove(AttachedConsumer consumer) {
        consumers.remove(consumer);
        asked = 0;
        owed.consumerWent(consumer);
        if (policy.exclusive()) {
            owed.consumerCame(); // the next one is served only now
        }
    }

    public boolean isAttended() {
        return !consumers.isEmpty();
    }

    public List<AttachedConsumer> consumers() {
        return consumers;
    }

    /** Returns the consumers that may be given messages. */
    public List<AttachedConsumer> served() {
        return policy.exclusive() ? consumers.subList(0, Math.min(1, consumers.size())) : consumers;
    }

    /** Returns whether the consumer may be given messages; of an exclusive address only the one that attached first. */
    public boolean isServed(AttachedConsumer consumer) {
        return !policy.exclusive() || consumers.get(0) == consumer;
    }

    // ---- rounds

    /**
     * Asks the consumers of this round that were not asked yet.
     *
     * @return null if no consumer has credit for anything in memory, or if the slice was over before one was found
     */
    public AttachedConsumer nextConsumer(Slice slice) {
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

    /** Returns what the consumer found may have. */
    public Ready next() {
        return next;
    }

    /** Gives the message to the consumer found; the next round begins with the consumer behind it. */
    public void give(Ready ready, AttachedConsumer consumer) {
        first = (first + asked + 1) % consumers.size();
        asked = 0;
        owed.take(ready);
        owed.given(ready, consumer, consumers);
        highestDelivered = Math.max(highestDelivered, ready.sequence());
    }

    /** Withholds the message; the next round begins with the same consumer. */
    public void withhold() {
        first = (first + asked) % consumers.size();
        asked = 0;
    }

    /**
     * Ends a round in which {@link #nextConsumer} found no consumer.
     *
     * @return false if the slice was over before all were asked
     */
    public boolean endRound() {
        boolean all = asked >= consumers.size();
        if (all) {
            asked = 0;
        }
        return all;
    }

    /**
     * Has evicted messages read back for a consumer with credit, after a round that found none.
     *
     * @return whether any consumer has credit
     */
    public boolean areSomeHungry() {
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

    public boolean mayRead() {
        return isAttended() && reads.mayBegin();
    }

    /** Returns how many messages wait for their time, if all do and no consumer has any; -1 otherwise. */
    public long owedForLaterOnly() {
        return consumers.stream().allMatch(consumer -> consumer.unsettled().isEmpty())
                ? owed.facts().forLaterOnly()
                : -1;
    }

    // ---- its place in the dispatcher's lists

    /** Notes that the consumers asked in this round must be asked again. */
    void change() {
        changed = true;
    }

    public boolean hasChanged() {
        return changed;
    }

    /**
     * Marks the subscription as waiting for service.
     *
     * @return false if it waits already
     */
    boolean waitForService() {
        boolean waited = waitsForService;
        waitsForService = true;
        return !waited;
    }

    void beginService() {
        waitsForService = false;
    }

    /**
     * Marks the subscription as having messages for later.
     *
     * @return false if that is known already
     */
    boolean listAsDelayed() {
        boolean listed = isListedAsDelayed;
        isListedAsDelayed = true;
        return !listed;
    }

    void unlistAsDelayed() {
        isListedAsDelayed = false;
    }

    public boolean holdsPublishers() {
        return holdsPublishers;
    }

    /**
     * Marks the subscription as holding its topic's publishers, as it has no room.
     *
     * @return false if it holds them already
     */
    public boolean holdPublishers() {
        boolean held = holdsPublishers;
        holdsPublishers = true;
        return !held;
    }

    /**
     * Marks the subscription as holding no publishers, as it has or needs no room.
     *
     * @return false if it held none
     */
    public boolean letPublishersGo() {
        boolean held = holdsPublishers;
        holdsPublishers = false;
        return held;
    }

    /** Returns the next place in the order of a volatile subscription, whose messages have no sequence. */
    public long takeOrder() {
        return nextOrder++;
    }

    // ---- the dispatch bound

    boolean isWithinDispatchBound(long sequence) {
        return sequence <= dispatchBound;
    }

    /**
     * Marks a new bound as on its way to the store.
     *
     * @return false if one is on its way already
     */
    boolean requestDispatchBound() {
        boolean requested = boundRequested;
        boundRequested = true;
        return !requested;
    }

    /** Takes over the requested bound, which is durable. */
    void raiseDispatchBound(long sequence) {
        dispatchBound = sequence;
        boundRequested = false;
    }

    /** Follows the shard's bound, which is durable: the subscription keeps up. */
    void followDispatchBoundOfShard() {
        raiseDispatchBound(FOLLOWS_SHARD);
    }

    /**
     * Lowers the bound to what was really delivered.
     *
     * @return the new bound, or -1 if it is no lower than before
     */
    long lowerDispatchBound() {
        long delivered = Math.max(0, highestDelivered);
        if (dispatchBound <= delivered) {
            return -1;
        }
        dispatchBound = delivered;
        return delivered;
    }

    /** Sets the bound below the first message, as the row of a new subscription has it. */
    public void beginDispatchBound() {
        dispatchBound = Math.max(0, subscription.fromSequence() - 1);
    }

    /** Takes over the bound that recovery found: all messages up to it may have been delivered. */
    public void recoverDispatchBound(long sequence) {
        owed.recoveredBound(sequence);
        dispatchBound = sequence;
        highestDelivered = sequence;
    }

    /**
     * Ends a message that was on its way and is durably over. A read under way may have begun before the settlement was
     * durable. The read is given up if it could bring the message back, and goes on otherwise.
     */
    public void isOver(long sequence) {
        if (owed.liesInStore(sequence)) {
            reads.giveUp();
        }
        owed.hasLeft(sequence);
        owed.isOver(sequence);
    }

    /**
     * Takes out a message that was settled elsewhere.
     *
     * @return true if it waited here, or may have
     */
    public boolean settledElsewhere(long sequence) {
        for (AttachedConsumer consumer : consumers) {
            if (consumer.settledElsewhere(sequence)) {
                return false;
            }
        }
        enlisted.settledElsewhere(sequence);
        if (!owed.settledElsewhere(sequence)) {
            reads.giveUp(); // the read may have begun before the settlement was durable
        }
        return true;
    }
}
