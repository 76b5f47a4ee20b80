package io.ringtable.broker.dispatch;

import io.ringtable.broker.agent.Slice;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/**
 * What one subscription owes and has not delivered, wherever it lies.
 * <pre>
 *   levels      one for each priority, the highest first: in memory, or in the store and known by a bit each
 *   schedule   in the store until their time comes: delivery delay, redelivery delay
 *   unread     a stretch of the backlog of which nothing is known before it is read: what recovery found there, or what
 *              moved there while nobody attended
 * </pre>
 * A message is in one of the three, or on its way: delivered, in a transaction, to the dead-letter queue. A subscription that
 * keeps up has one level and nothing in the store.
 * <p>
 * Thread: dispatcher.
 */
final class OwedSet implements PriorityLevel.PassedOver {
    /** Of those set aside, how many are read back at once for the consumer that may have them. */
    private static final int RECALLED = 2 * StoreReader.MESSAGES;

    /** Of those that come due, how many in one turn: others wait for it. */
    private static final int RELEASED_MAX = 1_024;

    private final MemoryBudget budget;
    private final int inMemoryMax;
    private final boolean isStored;
    private final List<PriorityLevel> levels = new ArrayList<>(1); // highest priority first
    private final DelayedMessages delayed = new DelayedMessages();
    private final Groups groups = new Groups();
    private final Map<Long, Ready> heldForLater =
            new HashMap<>(); // of the scheduled, those that have no store to lie in
    private final Set<Long> leaving = new HashSet<>(); // in transactions, or on their way to the dead-letter queue
    private final DeliveryHistory history = new DeliveryHistory();
    private final UnreadBacklog unread;
    private boolean interrupted; // the last look, by the end of its slice

    /** What to read next from the store. */
    sealed interface Reading permits Ring, BacklogRows, BacklogStretch {}

    /** @param sequences of rows in the ring, in order */
    record Ring(long[] sequences) implements Reading {}

    /** @param sequences of rows in the backlog, in order */
    record BacklogRows(long[] sequences) implements Reading {}

    /** Whatever is owed of the backlog in {@code (after, end)}. */
    record BacklogStretch(long after, long end) implements Reading, Part {}

    /** Of what is ready, for somebody who only looks. */
    sealed interface Part permits Sequences, BacklogStretch {}

    /** Rows of the ring or of the backlog. */
    record Sequences(Roaring64Bitmap bits) implements Part {}

    /**
     * @param isStored false if there is no store to leave anything in
     * @param fromSequence nothing below is owed: an earlier holder of the same bit may have left rows there
     */
    OwedSet(MemoryBudget budget, int inMemoryMax, boolean isStored, long fromSequence) {
        this.budget = budget;
        this.inMemoryMax = inMemoryMax;
        this.isStored = isStored;
        this.unread = new UnreadBacklog(fromSequence);
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

    Groups groups() {
        return groups;
    }

    // ---- what arrives

    /** A message that has just been committed. @param keep whether somebody is there to take it soon */
    void arrived(Ready ready, boolean keep) {
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
    void rests(Ready ready, long at) {
        groups.rests(ready);
        later(ready, at);
    }

    /** Not before its time. @param at ms since the epoch */
    void later(Ready ready, long at) {
        leaving.remove(ready.sequence());
        delayed.add(at, ready.sequence(), ready.message().priority());
        if (isStored) {
            history.keep(ready, at);
        } else {
            heldForLater.put(ready.sequence(), ready);
            budget.take(ready.weight());
        }
    }

    /** When the first of the scheduled ones is due, ms since the epoch; {@link DelayedMessages#NEVER} if there is none. */
    long nextDue() {
        return delayed.next();
    }

    /** @return how many have come due, some of those that have */
    int release(long now) {
        return delayed.release(now, RELEASED_MAX, this::due);
    }

    private void due(long sequence, int priority) {
        Ready held = heldForLater.remove(sequence);
        if (held == null) {
            storeHolds(sequence, priority);
        } else {
            budget.give(held.weight());
            level(priority).giveBack(held);
        }
    }

    /** A delivered message comes back to its place: in memory, or in the store if that is where its neighbours are. */
    void giveBack(Ready ready) {
        leaving.remove(ready.sequence());
        PriorityLevel level = level(ready);
        if (isStored && ready.sequence() >= Math.min(level.storedFirst(), unread.first())) {
            leaveToStore(ready);
        } else {
            level.giveBack(ready);
        }
    }

    void leaves(long sequence) {
        leaving.add(sequence);
    }

    void hasLeft(long sequence) {
        leaving.remove(sequence);
    }

    /** It is over. @return false if it lies in the store, from where it may be on its way into memory */
    boolean settledElsewhere(long sequence) {
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
     * The first that this consumer may have; null if there is none, if one that comes before it has to be read, or if the slice was
     * over before one was found, which {@link #isInterrupted} says.
     *
     * @param all that are served
     */
    Ready peek(AttachedConsumer consumer, List<AttachedConsumer> all, Slice slice) {
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
    boolean isInterrupted() {
        return interrupted;
    }

    /**
     * Others may have it: it waits for them, in memory while there is room, or if one of them takes it in a moment. Were that one set
     * aside, it would be read back and passed over again for ever.
     */
    @Override
    public boolean passOver(PriorityLevel level, Ready head, List<AttachedConsumer> all, Slice slice) {
        boolean stays = !isStored || head.notHere() != null || level.inMemory() <= inMemoryMax && budget.hasRoom();
        ConsumerPoll answered = stays ? null : level.poll(head, all, slice);
        if (!stays && answered == null) {
            return false;
        }
        level.removeHead();
        if (stays || answered.isTakenSoon()) {
            level.giveBack(head);
        } else {
            history.keep(head, 0);
            level.evicted().add(head.sequence(), answered.wanting());
        }
        return true;
    }

    void take(Ready ready) {
        level(ready).take(ready);
    }

    /** To that consumer, after {@link #take}. @param all that read the subscription */
    void given(Ready ready, AttachedConsumer consumer, List<AttachedConsumer> all) {
        if (ready.message().group() != null && groups.given(consumer, ready, all)) {
            askAnew();
        }
    }

    /** Nobody is to get it any more. */
    void isOver(long sequence) {
        if (groups.over(sequence)) {
            askAnew();
        }
    }

    /** Who may have what has changed. */
    private void askAnew() {
        for (PriorityLevel level : levels) {
            level.askAnew();
            readAnew(level, level.evicted().takeAll());
        }
    }

    /** Who comes may want what nobody wanted: all of it is read anew, in order. */
    void consumerCame() {
        for (PriorityLevel level : levels) {
            level.consumerCame();
            readAnew(level, level.evicted().takeAll());
        }
    }

    /** What was set aside for it alone, or was of its groups, is asked about anew. */
    void consumerWent(AttachedConsumer consumer) {
        if (groups.left(consumer)) {
            askAnew();
        }
        for (PriorityLevel level : levels) {
            level.forget(consumer);
            readAnew(level, level.evicted().forget(consumer));
        }
    }

    private void readAnew(PriorityLevel level, Roaring64Bitmap sequences) {
        if (sequences.isEmpty()) {
            return;
        }
        List<Ready> stay = new ArrayList<>(); // the store does not know whom they are not for
        level.clearMemory(ready -> {
            if (ready.notHere() == null) {
                leaveToStore(ready);
            } else {
                stay.add(ready);
            }
        });
        stay.forEach(level::giveBack);
        level.store(sequences);
    }

    /** It has credit and found nothing: what was set aside for it is read back. @return whether there was something */
    boolean recall(AttachedConsumer consumer) {
        boolean found = false;
        for (PriorityLevel level : levels) {
            Roaring64Bitmap recalled = level.evicted().takeFor(consumer, RECALLED);
            found |= !recalled.isEmpty();
            level.store(recalled);
        }
        return found;
    }

    // ---- the store

    /** Nothing waits in the store to be read. */
    boolean isCaughtUp() {
        for (int i = 0; i < levels.size(); i++) {
            if (!levels.get(i).isStoredEmpty()) {
                return false;
            }
        }
        return unread.isEmpty();
    }

    /** Whether it is still to be read. */
    boolean liesInStore(long sequence) {
        return unread.contains(sequence) || levels.stream().anyMatch(level -> level.isStored(sequence));
    }

    int inMemory() {
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
    Reading nextReading(long gate, boolean hungry) {
        if (!hungry && !budget.hasRoom()) {
            return null; // nobody waits for what it would take the memory of others to keep
        }
        long end = unread.first();
        for (int i = 0; i < levels.size(); i++) {
            PriorityLevel level = levels.get(i);
            long first = level.storedFirst();
            if (first < end && (hasRoomToRead(level) || level.isStoredNext(hungry))) {
                return first < gate
                        ? new BacklogRows(level.nextStored(StoreReader.MESSAGES, Math.min(gate, end)))
                        : new Ring(level.nextStored(StoreReader.MESSAGES, end));
            }
        }
        // Of several priorities the highest may lie at its end: it is read through, bodies that have no room are let go
        // of.
        boolean wanted = !unread.isEmpty() && (levels.size() != 1 || hasRoomToRead(levels.get(0)));
        return wanted ? unread.stretch() : null;
    }

    private boolean hasRoomToRead(PriorityLevel level) {
        return level.queued() < inMemoryMax / 4 && (level.queued() == 0 || budget.hasRoom());
    }

    /**
     * What is ready, in the order of delivery, for somebody who only looks: sequences, or stretches of the backlog of which
     * nothing is known. Nothing if there is no store.
     */
    List<Part> readyInStore() {
        List<Part> ready = new ArrayList<>();
        if (isStored) {
            for (PriorityLevel level : levels) {
                addIfAny(ready, below(unread.first(), level.sequences(), true));
            }
            if (!unread.isEmpty()) {
                ready.add(unread.stretch());
                levels.forEach(level -> addIfAny(ready, below(unread.first(), level.sequences(), false)));
            }
        }
        return ready;
    }

    /** @param are below it, or are not */
    private static Roaring64Bitmap below(long end, Roaring64Bitmap sequences, boolean are) {
        Roaring64Bitmap those = new Roaring64Bitmap();
        sequences.forEach(sequence -> {
            if (sequence < end == are) {
                those.addLong(sequence);
            }
        });
        return those;
    }

    private static void addIfAny(List<Part> ready, Roaring64Bitmap sequences) {
        if (!sequences.isEmpty()) {
            ready.add(new Sequences(sequences));
        }
    }

    /** As {@link #readyInStore}, where there is none. */
    List<Ready> readyWithoutStore() {
        return isStored
                ? List.of()
                : levels.stream().flatMap(level -> level.inOrder().stream()).toList();
    }

    /** A message that was asked for by its number. @param now ms since the epoch */
    void readBack(Ready ready, long now) {
        level(ready).unstore(ready.sequence());
        if (!leaving.contains(ready.sequence())) {
            keep(ready, true, now);
        }
    }

    /** The next message of the stretch that was unread. @param now ms since the epoch */
    void readOn(Ready ready, long now) {
        if (!unread.contains(ready.sequence())) {
            return;
        }
        unread.isRead(ready.sequence());
        if (!leaving.contains(ready.sequence()) && !delayed.contains(ready.sequence())) {
            keep(ready, level(ready).isStoredEmpty() && hasRoomToRead(level(ready)), now);
        }
    }

    /** Nothing more is owed there. */
    void isReadThrough() {
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

    /** What nobody attends and lay in the ring below the gate lies in the backlog now: it is read when somebody comes. */
    void gateRaised(long gate) {
        for (PriorityLevel level : levels) {
            if (level.storedFirst() < gate) {
                unread.add(level.storedFirst(), gate);
                level.unstoreBelow(gate);
            }
        }
    }

    /** Nobody reads any more: memory is let go of, everything waits in the store. */
    void leaveToStore() {
        for (PriorityLevel level : levels) {
            level.clearMemory(this::leaveToStore);
            level.store(level.evicted().takeAll());
        }
    }

    private void leaveToStore(Ready ready) {
        history.keep(ready, 0);
        storeHolds(ready.sequence(), ready.message().priority());
    }

    private void storeHolds(long sequence, int priority) {
        if (!unread.contains(sequence)) { // else it is found there
            level(priority).store(sequence);
        }
    }

    /** The subscription is gone. */
    void forget() {
        levels.forEach(level -> level.clearMemory(ready -> {}));
        levels.clear();
        heldForLater.values().forEach(ready -> budget.give(ready.weight()));
        heldForLater.clear();
        delayed.clear();
        unread.isReadThrough();
    }

    // ---- recovery

    void recoveredInRing(long sequence, int priority, long deliverAt) {
        if (deliverAt == 0) {
            level(priority).store(sequence);
        } else {
            delayed.add(deliverAt, sequence, priority);
        }
    }

    /** @param gate the ring's */
    void recoveredInBacklog(long gate) {
        unread.addUpTo(gate);
    }

    void recoveredFailures(long sequence, int count, long notBefore) {
        history.failed(sequence, count, notBefore);
    }

    void recoveredBound(long mayHaveBeenDelivered) {
        history.redeliveredUpTo(mayHaveBeenDelivered);
    }
}
