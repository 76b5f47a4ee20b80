package io.ringtable.broker.dispatch.owed;

import io.ringtable.broker.agent.Slice;
import io.ringtable.broker.dispatch.consumer.Consumer;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.memory.MemoryBudget;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Holds what one subscription owes and has not delivered, wherever it lies.
 * <pre>
 *   levels     one for each priority, the highest first: in memory, or in the store and known by a bit each
 *   delayed    in the store until their time comes: delivery delay, redelivery delay
 *   unread     a stretch of the backlog of which nothing is known before it is read: what recovery found there, or what
 *              moved there while no consumer was attached
 * </pre>
 * A message is in one of the three, or on its way: delivered, in a transaction, to the dead-letter queue. A
 * subscription that keeps up has one level and nothing in the store.
 * <p>
 * Thread: dispatcher.
 * <p>Longer than others, because every way of a message between its places leads through it.
 */
public final class OwedSet implements PriorityLevel.PassedOver {
    /** Stands for a time that never comes. */
    public static final long NEVER = DelayedMessages.NEVER;

    /** Bounds the messages that come due in one turn, as others wait for it. */
    private static final int RELEASED_MAX = 1_024;

    private final MemoryBudget budget;
    private final int inMemoryMax;
    private final boolean isStored;
    private final List<PriorityLevel> levels = new ArrayList<>(1); // highest priority first
    private final DelayedMessages delayed = new DelayedMessages();
    private final Groups groups = new Groups();
    private final Map<Long, Ready> heldForLater = new HashMap<>(); // the delayed ones, where there is no store
    /**
     * Holds by sequence what is on its way. In a transaction it stands with the consumer that enlisted it; on its way
     * to the queue that a policy names, with null.
     */
    private final Map<Long, Consumer> leaving = new HashMap<>();

    private final DeliveryHistory history = new DeliveryHistory();
    private final UnreadBacklog unread;
    private final ReadAhead readAhead;
    private final Evictions evictions;
    private final OwedFacts facts;
    private boolean interrupted; // the last look ended with its slice

    /**
     * @param isStored false if there is no store to leave messages in
     * @param fromSequence nothing below is owed: an earlier holder of the same bit may have left rows there
     */
    public OwedSet(MemoryBudget budget, int inMemoryMax, boolean isStored, long fromSequence) {
        this.budget = budget;
        this.inMemoryMax = inMemoryMax;
        this.isStored = isStored;
        this.unread = new UnreadBacklog(fromSequence);
        this.readAhead = new ReadAhead(levels, unread, budget, inMemoryMax);
        this.evictions = new Evictions(levels, unread, history);
        this.facts = new OwedFacts(levels, delayed, unread, heldForLater, leaving, history, groups);
    }

    /** Returns what tells where messages are, and changes nothing. */
    public OwedFacts facts() {
        return facts;
    }

    private PriorityLevel level(int priority) {
        int place = 0;
        for (; place < levels.size() && levels.get(place).priority() >= priority; place++) {
            if (levels.get(place).priority() == priority) {
                return levels.get(place);
            }
        }
        PriorityLevel level = new PriorityLevel(priority, budget);
        levels.add(place, level);
        return level;
    }

    private PriorityLevel level(Ready ready) {
        return level(ready.message().priority());
    }

    /** Returns whether the message's group lets this consumer have it now. */
    public boolean groupAllows(Recipient consumer, Ready ready) {
        return groups.mayHave(consumer, ready);
    }

    // ---- what arrives

    /** Takes in a message that has just been committed; {@code keep} tells that a consumer is there to take it soon. */
    public void arrived(Ready ready, boolean keep) {
        PriorityLevel level = level(ready);
        if (!isStored || keep && level.isStoredEmpty() && unread.isEmpty() && hasRoom()) {
            level.add(ready);
        } else {
            level.store(ready.sequence());
        }
    }

    private boolean hasRoom() {
        int waiting = inMemory();
        return waiting == 0 || waiting < inMemoryMax && budget.hasRoom();
    }

    /** Lets a failed message rest until {@code at} (ms since the epoch); the later ones of its group wait for it. */
    public void rests(Ready ready, long at) {
        groups.rests(ready);
        later(ready, at);
    }

    /** Takes in a message that must not be delivered before {@code at} (ms since the epoch). */
    public void later(Ready ready, long at) {
        leaving.remove(ready.sequence());
        delayed.add(at, ready.sequence(), ready.message().priority());
        if (isStored) {
            history.keep(ready, at);
        } else {
            heldForLater.put(ready.sequence(), ready);
            budget.take(ready.weight());
        }
    }

    /** Returns when the first delayed message is due, in ms since the epoch; {@link #NEVER} if there is none. */
    public long nextDue() {
        return delayed.next();
    }

    /** Makes a bounded number of delayed messages ready that are due, and returns how many. */
    public int release(long now) {
        return delayed.release(now, RELEASED_MAX, this::due);
    }

    private void due(long sequence, int priority) {
        Ready held = heldForLater.remove(sequence);
        if (held != null) {
            budget.give(held.weight());
            level(priority).giveBack(held);
        } else if (!unread.contains(sequence)) { // else reading on finds it
            level(priority).store(sequence);
        }
    }

    /** Returns a delivered message to its place: in memory, or in the store if its neighbours lie there. */
    public void giveBack(Ready ready) {
        leaving.remove(ready.sequence());
        PriorityLevel level = level(ready);
        if (isStored && ready.sequence() >= Math.min(level.storedFirst(), unread.first())) {
            evictions.evict(level, ready);
        } else {
            level.giveBack(ready);
        }
    }

    /** Notes a message on its way to the queue that a policy names. */
    public void leaves(long sequence) {
        leaving.put(sequence, null);
    }

    /** Notes a delivery that a transaction takes from that consumer. */
    public void enlisted(Delivery delivery, Consumer consumer) {
        leaving.put(delivery.sequence(), consumer);
        groups.enlisted(delivery);
    }

    /**
     * Takes out a message that an operator removes, wherever it waits. No read brings it back before
     * {@link #hasLeft}, which follows when its settlement is durable.
     */
    public void removes(long sequence) {
        settledElsewhere(sequence);
        leaves(sequence);
    }

    /** Notes a message that is on its way no more: it is over, or about to come back. */
    public void hasLeft(long sequence) {
        leaving.remove(sequence);
    }

    /** Takes out a message that is over. Returns false if it lies in the store, and may be on its way into memory. */
    public boolean settledElsewhere(long sequence) {
        history.forget(sequence);
        isOver(sequence);
        if (delayed.remove(sequence)) {
            Ready held = heldForLater.remove(sequence);
            if (held != null) {
                budget.give(held.weight());
            }
            return true;
        }
        for (PriorityLevel level : levels) {
            if (level.unstore(sequence)) {
                return false;
            }
            if (level.remove(sequence) != null || level.evicted().remove(sequence)) {
                return true;
            }
        }
        return !unread.contains(sequence);
    }

    // ---- what is given

    /**
     * Returns the first message that this consumer may have, or null. There may be none, an earlier one may have to be
     * read first, or the slice may be over; {@link #isInterrupted} tells the last.
     *
     * @param all the consumers that are served
     */
    public Ready peek(Recipient consumer, List<? extends Recipient> all, Slice slice) {
        long end = unread.first();
        interrupted = false;
        for (int i = 0; i < levels.size(); i++) {
            PriorityLevel level = levels.get(i);
            Ready ready = level.peek(consumer, end, all, this, slice);
            if (ready != null) {
                return level.evicted().first(consumer) < ready.sequence() ? null : ready;
            }
            interrupted = level.isInterrupted();
            if (interrupted || level.storedFirst() < end) {
                return null; // read first what has a higher priority
            }
        }
        return null;
    }

    /** Returns whether the slice was over before {@link #peek} knew. */
    public boolean isInterrupted() {
        return interrupted;
    }

    /**
     * Sets a message aside for other consumers. The message stays in memory while there is room, or if one of them
     * takes it in a moment. If it were evicted in that case, it would be read back and passed over for ever.
     */
    @Override
    public boolean passOver(PriorityLevel level, Ready head, List<? extends Recipient> all, Slice slice) {
        boolean stays = !isStored || head.notHere() != null || level.inMemory() <= inMemoryMax && budget.hasRoom();
        ConsumerPoll answered = stays ? null : level.poll(head, all, slice);
        if (!stays && answered == null) {
            return false;
        }
        level.removeHead();
        if (stays || answered.isTakenSoon()) {
            level.giveBack(head);
        } else {
            evictions.evict(level, head, answered.wanting());
        }
        return true;
    }

    public void take(Ready ready) {
        level(ready).take(ready);
    }

    /** Notes, after {@link #take}, that the message went to that consumer; {@code all} read the subscription. */
    public void given(Ready ready, Recipient consumer, List<? extends Recipient> all) {
        if (ready.message().group() != null && groups.given(consumer, ready, all)) {
            evictions.askAnew();
        }
    }

    /** Ends a message that no consumer will get any more. */
    public void isOver(long sequence) {
        if (groups.over(sequence)) {
            evictions.askAnew();
        }
    }

    /** Takes note of a consumer that has come. */
    public void consumerCame() {
        evictions.consumerCame();
    }

    /** Takes note of a consumer that has gone, and its groups with it. */
    public void consumerWent(Recipient consumer) {
        if (groups.left(consumer)) {
            evictions.askAnew();
        }
        evictions.consumerWent(consumer);
    }

    /** Has evicted messages read back for a consumer that found nothing. Returns whether there are any. */
    public boolean recall(Recipient consumer) {
        return evictions.recall(consumer);
    }

    // ---- the store

    /** Returns whether nothing waits in the store to be read. */
    public boolean isCaughtUp() {
        return readAhead.isThrough();
    }

    /** Returns whether the message must still be read. */
    public boolean liesInStore(long sequence) {
        return readAhead.isAhead(sequence);
    }

    public int inMemory() {
        int waiting = heldForLater.size();
        for (int i = 0; i < levels.size(); i++) {
            waiting += levels.get(i).inMemory();
        }
        return waiting;
    }

    /**
     * @param gate the gate of the ring, as known here
     * @param hungry whether a consumer has credit and found nothing
     * @return null if nothing should be read now
     */
    public Reading nextReading(long gate, boolean hungry) {
        return readAhead.next(gate, hungry);
    }

    /**
     * Returns what is ready in the store, in the order of delivery, for a browser. Stretches of the backlog are
     * unknown. Empty if there is no store.
     */
    public List<ReadyPart> readyInStore() {
        return isStored ? readAhead.all() : List.of();
    }

    /** Returns what is ready, in order, where there is no store; else nothing. */
    public List<Ready> readyWithoutStore() {
        return isStored
                ? List.of()
                : levels.stream().flatMap(level -> level.inOrder().stream()).toList();
    }

    /** Takes in a message that was read by its sequence; {@code now} is in ms since the epoch. */
    public void readBack(Ready ready, long now) {
        level(ready).unstore(ready.sequence());
        if (!leaving.containsKey(ready.sequence())) {
            keep(ready, true, now);
        }
    }

    /** Takes in the next message of the unread stretch; {@code now} is in ms since the epoch. */
    public void readOn(Ready ready, long now) {
        if (!unread.contains(ready.sequence())) {
            return;
        }
        unread.isRead(ready.sequence());
        if (!leaving.containsKey(ready.sequence()) && !delayed.contains(ready.sequence())) {
            keep(ready, level(ready).isStoredEmpty() && readAhead.hasRoomFor(level(ready)), now);
        }
    }

    /** Ends the unread stretch: nothing more is owed there. */
    public void isReadThrough() {
        unread.isReadThrough();
    }

    private void keep(Ready ready, boolean inMemory, long now) {
        long rests = history.notBefore(ready.sequence());
        long at = Math.max(ready.message().deliverAt(), rests);
        if (at > now) {
            if (rests == at) {
                groups.rests(ready);
            }
            delayed.add(at, ready.sequence(), ready.message().priority());
        } else if (inMemory) {
            level(ready).add(history.backInMemory(ready));
        } else {
            level(ready).store(ready.sequence());
        }
    }

    /** Moves what lay in the ring below the gate to the unread stretch, to be read when a consumer comes. */
    public void gateRaised(long gate) {
        for (PriorityLevel level : levels) {
            if (level.storedFirst() < gate) {
                unread.add(level.storedFirst(), gate);
                level.unstoreBelow(gate);
            }
        }
    }

    /** Leaves everything to the store, as the last consumer has gone. */
    public void leaveToStore() {
        evictions.evictAll();
    }

    /** Forgets everything, as the subscription is gone. */
    public void forget() {
        levels.forEach(level -> level.clearMemory(ready -> {}));
        levels.clear();
        heldForLater.values().forEach(ready -> budget.give(ready.weight()));
        heldForLater.clear();
        delayed.clear();
        unread.isReadThrough();
    }

    // ---- recovery

    public void recoveredInRing(long sequence, int priority, long deliverAt) {
        if (deliverAt == 0) {
            level(priority).store(sequence);
        } else {
            delayed.add(deliverAt, sequence, priority);
        }
    }

    /** @param gate the gate of the ring */
    public void recoveredInBacklog(long gate) {
        unread.addUpTo(gate);
    }

    public void recoveredFailures(long sequence, int count, long notBefore) {
        history.failed(sequence, count, notBefore);
    }

    public void recoveredBound(long mayHaveBeenDelivered) {
        history.redeliveredUpTo(mayHaveBeenDelivered);
    }
}
