package io.ringtable.broker.dispatch.owed;

import io.ringtable.broker.agent.Slice;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.broker.dispatch.memory.MemoryBudget;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Holds what one subscription owes and has not delivered, wherever it lies.
 * <pre>
 *   levels     one for each priority, the highest first: in memory, or in the store and known by a bit each
 *   delayed    in the store until their time comes: delivery delay, redelivery delay
 *   unread     a stretch of the backlog of which nothing is known before it is read: what recovery found there, or what
 *              moved there while nobody attended
 * </pre>
 * A message is in one of the three, or on its way: delivered, in a transaction, to the dead-letter queue. A
 * subscription that keeps up has one level and nothing in the store.
 * <p>
 * Thread: dispatcher.
 */
public final class OwedSet implements PriorityLevel.PassedOver {
    /** The time that never comes. */
    public static final long NEVER = DelayedMessages.NEVER;

    /** Of those that come due, how many in one turn: others wait for it. */
    private static final int RELEASED_MAX = 1_024;

    private final MemoryBudget budget;
    private final int inMemoryMax;
    private final boolean isStored;
    private final List<PriorityLevel> levels = new ArrayList<>(1); // highest priority first
    private final DelayedMessages delayed = new DelayedMessages();
    private final Groups groups = new Groups();
    private final Map<Long, Ready> heldForLater = new HashMap<>(); // of the delayed, where there is no store
    private final Set<Long> leaving = new HashSet<>(); // in transactions, or on their way to the dead-letter queue
    private final DeliveryHistory history = new DeliveryHistory();
    private final UnreadBacklog unread;
    private final ReadAhead readAhead;
    private final Evictions evictions;
    private boolean interrupted; // the last look, by the end of its slice

    /**
     * @param isStored false if there is no store to leave anything in
     * @param fromSequence nothing below is owed: an earlier holder of the same bit may have left rows there
     */
    public OwedSet(MemoryBudget budget, int inMemoryMax, boolean isStored, long fromSequence) {
        this.budget = budget;
        this.inMemoryMax = inMemoryMax;
        this.isStored = isStored;
        this.unread = new UnreadBacklog(fromSequence);
        this.readAhead = new ReadAhead(levels, unread, budget, inMemoryMax);
        this.evictions = new Evictions(levels, unread, history);
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

    /** Whether the message's group lets this consumer have it now. */
    public boolean groupAllows(Recipient consumer, Ready ready) {
        return groups.mayHave(consumer, ready);
    }

    // ---- what arrives

    /** A message that has just been committed. @param keep whether somebody is there to take it soon */
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

    /** A failed message rests; the later ones of its group wait for it. @param at until when, ms since the epoch */
    public void rests(Ready ready, long at) {
        groups.rests(ready);
        later(ready, at);
    }

    /** Not before its time. @param at ms since the epoch */
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

    /** When the first of the delayed ones is due, ms since the epoch; {@link #NEVER} if there is none. */
    public long nextDue() {
        return delayed.next();
    }

    /** @return how many have come due, some of those that have */
    public int release(long now) {
        return delayed.release(now, RELEASED_MAX, this::due);
    }

    private void due(long sequence, int priority) {
        Ready held = heldForLater.remove(sequence);
        if (held != null) {
            budget.give(held.weight());
            level(priority).giveBack(held);
        } else if (!unread.contains(sequence)) { // else it is found there
            level(priority).store(sequence);
        }
    }

    /** A delivered message comes back to its place: in memory, or in the store if that is where its neighbours are. */
    public void giveBack(Ready ready) {
        leaving.remove(ready.sequence());
        PriorityLevel level = level(ready);
        if (isStored && ready.sequence() >= Math.min(level.storedFirst(), unread.first())) {
            evictions.evict(level, ready);
        } else {
            level.giveBack(ready);
        }
    }

    /** It leaves for the queue to which a policy moves it. */
    public void leaves(long sequence) {
        leaving.add(sequence);
    }

    /** A transaction takes it. */
    public void enlisted(Delivery delivery) {
        leaving.add(delivery.sequence());
        groups.enlisted(delivery);
    }

    /** It is on its way no more: over, or about to come back. */
    public void hasLeft(long sequence) {
        leaving.remove(sequence);
    }

    /** It is over. @return false if it lies in the store, from where it may be on its way into memory */
    public boolean settledElsewhere(long sequence) {
        history.forget(sequence);
        isOver(sequence);
        if (delayed.remove(sequence)) {
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
     * The first that this consumer may have; null if there is none, if one that comes before it has to be read, or if
     * the slice was over before one was found, which {@link #isInterrupted} says.
     *
     * @param all that are served
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

    /** Whether the slice was over before {@link #peek} knew. */
    public boolean isInterrupted() {
        return interrupted;
    }

    /**
     * Others may have it: it waits for them, in memory while there is room, or if one of them takes it in a moment.
     * Were that one evicted, it would be read back and passed over again for ever.
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

    /** To that consumer, after {@link #take}. @param all that read the subscription */
    public void given(Ready ready, Recipient consumer, List<? extends Recipient> all) {
        if (ready.message().group() != null && groups.given(consumer, ready, all)) {
            evictions.askAnew();
        }
    }

    /** Nobody is to get it any more. */
    public void isOver(long sequence) {
        if (groups.over(sequence)) {
            evictions.askAnew();
        }
    }

    /** A consumer has come. */
    public void consumerCame() {
        evictions.consumerCame();
    }

    /** A consumer has gone, and its groups with it. */
    public void consumerWent(Recipient consumer) {
        if (groups.left(consumer)) {
            evictions.askAnew();
        }
        evictions.consumerWent(consumer);
    }

    /** Has read back what was evicted and is for a consumer that found nothing. @return whether there is any */
    public boolean recall(Recipient consumer) {
        return evictions.recall(consumer);
    }

    // ---- the store

    /** Nothing waits in the store to be read. */
    public boolean isCaughtUp() {
        return readAhead.isThrough();
    }

    /** Whether it is still to be read. */
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
     * @param gate the ring's, as known here
     * @param hungry some consumer has credit and found nothing
     * @return null if nothing is to be read now
     */
    public Reading nextReading(long gate, boolean hungry) {
        return readAhead.next(gate, hungry);
    }

    /**
     * What is ready, in the order of delivery, for somebody who only looks: sequences, or stretches of the backlog of
     * which nothing is known. Nothing if there is no store.
     */
    public List<ReadyPart> readyInStore() {
        return isStored ? readAhead.all() : List.of();
    }

    /** As {@link #readyInStore}, where there is none. */
    public List<Ready> readyWithoutStore() {
        return isStored
                ? List.of()
                : levels.stream().flatMap(level -> level.inOrder().stream()).toList();
    }

    /** A message that was asked for by its number. @param now ms since the epoch */
    public void readBack(Ready ready, long now) {
        level(ready).unstore(ready.sequence());
        if (!leaving.contains(ready.sequence())) {
            keep(ready, true, now);
        }
    }

    /** The next message of the stretch that was unread. @param now ms since the epoch */
    public void readOn(Ready ready, long now) {
        if (!unread.contains(ready.sequence())) {
            return;
        }
        unread.isRead(ready.sequence());
        if (!leaving.contains(ready.sequence()) && !delayed.contains(ready.sequence())) {
            keep(ready, level(ready).isStoredEmpty() && readAhead.hasRoomFor(level(ready)), now);
        }
    }

    /** Nothing more is owed there. */
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

    /**
     * What nobody attends and lay in the ring below the gate lies in the backlog now: it is read when somebody comes.
     */
    public void gateRaised(long gate) {
        for (PriorityLevel level : levels) {
            if (level.storedFirst() < gate) {
                unread.add(level.storedFirst(), gate);
                level.unstoreBelow(gate);
            }
        }
    }

    /** Nobody reads any more: memory is let go of, everything waits in the store. */
    public void leaveToStore() {
        evictions.evictAll();
    }

    /** The subscription is gone. */
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

    /** @param gate the ring's */
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
