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
 *   lanes      one for each priority, the highest first: in memory, or in the store and known by a bit each
 *   schedule   in the store until their time comes: delivery delay, redelivery delay
 *   unread     a stretch of the backlog of which nothing is known before it is read: what recovery found there, or what
 *              moved there while nobody attended
 * </pre>
 * A message is in one of the three, or on its way: delivered, in a transaction, to the dead-letter queue. A subscription that
 * keeps up has one lane and nothing in the store.
 * <p>
 * Thread: dispatcher.
 */
final class OwedSet implements Lane.PassedOver {
    /** Of those set aside, how many are read back at once for the consumer that may have them. */
    private static final int RECALLED = 2 * ReadBack.MESSAGES;

    /** Of those that come due, how many in one turn: others wait for it. */
    private static final int RELEASED_MAX = 1_024;

    private final MemoryBudget budget;
    private final int windowMax;
    private final boolean isStored;
    private final List<Lane> lanes = new ArrayList<>(1); // highest priority first
    private final Schedule schedule = new Schedule();
    private final Groups groups = new Groups();
    private final Map<Long, Ready> heldForLater =
            new HashMap<>(); // of the scheduled, those that have no store to lie in
    private final Set<Long> leaving = new HashSet<>(); // in transactions, or on their way to the dead-letter queue
    private final Remembered remembered = new Remembered();
    private final Unread unread;
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
    OwedSet(MemoryBudget budget, int windowMax, boolean isStored, long fromSequence) {
        this.budget = budget;
        this.windowMax = windowMax;
        this.isStored = isStored;
        this.unread = new Unread(fromSequence);
    }

    private Lane lane(int priority) {
        int place = 0;
        for (; place < lanes.size() && lanes.get(place).priority() >= priority; place++) {
            if (lanes.get(place).priority() == priority) {
                return lanes.get(place);
            }
        }
        Lane lane = new Lane(priority, budget);
        lanes.add(place, lane);
        return lane;
    }

    private Lane lane(Ready ready) {
        return lane(ready.message().priority());
    }

    Groups groups() {
        return groups;
    }

    // ---- what arrives

    /** A message that has just been committed. @param keep whether somebody is there to take it soon */
    void arrived(Ready ready, boolean keep) {
        Lane lane = lane(ready);
        if (!isStored || keep && lane.isStoredEmpty() && unread.isEmpty() && hasRoom()) {
            lane.add(ready);
        } else {
            lane.store(ready.sequence());
        }
    }

    private boolean hasRoom() {
        int waiting = inMemory();
        return waiting == 0 || waiting < windowMax && budget.hasRoom();
    }

    /** A failed message rests; the later ones of its group wait for it. @param at until when, ms since the epoch */
    void rests(Ready ready, long at) {
        groups.rests(ready);
        later(ready, at);
    }

    /** Not before its time. @param at ms since the epoch */
    void later(Ready ready, long at) {
        leaving.remove(ready.sequence());
        schedule.add(at, ready.sequence(), ready.message().priority());
        if (isStored) {
            remembered.keep(ready, at);
        } else {
            heldForLater.put(ready.sequence(), ready);
            budget.take(ready.weight());
        }
    }

    /** When the first of the scheduled ones is due, ms since the epoch; {@link Schedule#NEVER} if there is none. */
    long nextDue() {
        return schedule.next();
    }

    /** @return how many have come due, some of those that have */
    int release(long now) {
        return schedule.release(now, RELEASED_MAX, this::due);
    }

    private void due(long sequence, int priority) {
        Ready held = heldForLater.remove(sequence);
        if (held == null) {
            storeHolds(sequence, priority);
        } else {
            budget.give(held.weight());
            lane(priority).giveBack(held);
        }
    }

    /** A delivered message comes back to its place: in memory, or in the store if that is where its neighbours are. */
    void giveBack(Ready ready) {
        leaving.remove(ready.sequence());
        Lane lane = lane(ready);
        if (isStored && ready.sequence() >= Math.min(lane.storedFirst(), unread.first())) {
            leaveToStore(ready);
        } else {
            lane.giveBack(ready);
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
        remembered.forget(sequence);
        isOver(sequence);
        if (schedule.remove(sequence)) {
            return true;
        }
        for (Lane lane : lanes) {
            if (lane.unstore(sequence)) {
                return false;
            }
            if (lane.remove(sequence) != null || lane.aside().remove(sequence)) {
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
    Ready peek(CreditWindow consumer, List<CreditWindow> all, Slice slice) {
        long end = unread.first();
        interrupted = false;
        for (int i = 0; i < lanes.size(); i++) {
            Lane lane = lanes.get(i);
            Ready ready = lane.peek(consumer, end, all, this, slice);
            if (ready != null) {
                return lane.aside().first(consumer) < ready.sequence() ? null : ready;
            }
            interrupted = lane.isInterrupted();
            if (interrupted || lane.storedFirst() < end) {
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
    public boolean passOver(Lane lane, Ready head, List<CreditWindow> all, Slice slice) {
        boolean stays = !isStored || head.notHere() != null || lane.inMemory() <= windowMax && budget.hasRoom();
        Inquiry answered = stays ? null : lane.inquire(head, all, slice);
        if (!stays && answered == null) {
            return false;
        }
        lane.removeHead();
        if (stays || answered.isTakenSoon()) {
            lane.giveBack(head);
        } else {
            remembered.keep(head, 0);
            lane.aside().add(head.sequence(), answered.wanting());
        }
        return true;
    }

    void take(Ready ready) {
        lane(ready).take(ready);
    }

    /** To that consumer, after {@link #take}. @param all that read the subscription */
    void given(Ready ready, CreditWindow consumer, List<CreditWindow> all) {
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
        for (Lane lane : lanes) {
            lane.askAnew();
            readAnew(lane, lane.aside().takeAll());
        }
    }

    /** Who comes may want what nobody wanted: all of it is read anew, in order. */
    void consumerCame() {
        for (Lane lane : lanes) {
            lane.consumerCame();
            readAnew(lane, lane.aside().takeAll());
        }
    }

    /** What was set aside for it alone, or was of its groups, is asked about anew. */
    void consumerWent(CreditWindow consumer) {
        if (groups.left(consumer)) {
            askAnew();
        }
        for (Lane lane : lanes) {
            lane.forget(consumer);
            readAnew(lane, lane.aside().forget(consumer));
        }
    }

    private void readAnew(Lane lane, Roaring64Bitmap sequences) {
        if (sequences.isEmpty()) {
            return;
        }
        List<Ready> stay = new ArrayList<>(); // the store does not know whom they are not for
        lane.clearMemory(ready -> {
            if (ready.notHere() == null) {
                leaveToStore(ready);
            } else {
                stay.add(ready);
            }
        });
        stay.forEach(lane::giveBack);
        lane.store(sequences);
    }

    /** It has credit and found nothing: what was set aside for it is read back. @return whether there was something */
    boolean recall(CreditWindow consumer) {
        boolean found = false;
        for (Lane lane : lanes) {
            Roaring64Bitmap recalled = lane.aside().takeFor(consumer, RECALLED);
            found |= !recalled.isEmpty();
            lane.store(recalled);
        }
        return found;
    }

    // ---- the store

    /** Nothing waits in the store to be read. */
    boolean isCaughtUp() {
        for (int i = 0; i < lanes.size(); i++) {
            if (!lanes.get(i).isStoredEmpty()) {
                return false;
            }
        }
        return unread.isEmpty();
    }

    /** Whether it is still to be read. */
    boolean liesInStore(long sequence) {
        return unread.contains(sequence) || lanes.stream().anyMatch(lane -> lane.isStored(sequence));
    }

    int inMemory() {
        int waiting = heldForLater.size();
        for (int i = 0; i < lanes.size(); i++) {
            waiting += lanes.get(i).inMemory();
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
        for (int i = 0; i < lanes.size(); i++) {
            Lane lane = lanes.get(i);
            long first = lane.storedFirst();
            if (first < end && (hasRoomToRead(lane) || lane.isStoredNext(hungry))) {
                return first < gate
                        ? new BacklogRows(lane.nextStored(ReadBack.MESSAGES, Math.min(gate, end)))
                        : new Ring(lane.nextStored(ReadBack.MESSAGES, end));
            }
        }
        // Of several priorities the highest may lie at its end: it is read through, bodies that have no room are let go
        // of.
        boolean wanted = !unread.isEmpty() && (lanes.size() != 1 || hasRoomToRead(lanes.get(0)));
        return wanted ? unread.stretch() : null;
    }

    private boolean hasRoomToRead(Lane lane) {
        return lane.windowSize() < windowMax / 4 && (lane.windowSize() == 0 || budget.hasRoom());
    }

    /**
     * What is ready, in the order of delivery, for somebody who only looks: sequences, or stretches of the backlog of which
     * nothing is known. Nothing if there is no store.
     */
    List<Part> readyInStore() {
        List<Part> ready = new ArrayList<>();
        if (isStored) {
            for (Lane lane : lanes) {
                addIfAny(ready, below(unread.first(), lane.sequences(), true));
            }
            if (!unread.isEmpty()) {
                ready.add(unread.stretch());
                lanes.forEach(lane -> addIfAny(ready, below(unread.first(), lane.sequences(), false)));
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
                : lanes.stream().flatMap(lane -> lane.inOrder().stream()).toList();
    }

    /** A message that was asked for by its number. @param now ms since the epoch */
    void readBack(Ready ready, long now) {
        lane(ready).unstore(ready.sequence());
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
        if (!leaving.contains(ready.sequence()) && !schedule.contains(ready.sequence())) {
            keep(ready, lane(ready).isStoredEmpty() && hasRoomToRead(lane(ready)), now);
        }
    }

    /** Nothing more is owed there. */
    void isReadThrough() {
        unread.isReadThrough();
    }

    private void keep(Ready ready, boolean inMemory, long now) {
        long rests = remembered.notBefore(ready.sequence());
        long at = Math.max(ready.message().deliverAt(), rests);
        if (at > now) {
            if (rests == at) {
                groups.rests(ready);
            }
            schedule.add(at, ready.sequence(), ready.message().priority());
        } else if (inMemory) {
            lane(ready).add(remembered.backInMemory(ready));
        } else {
            lane(ready).store(ready.sequence());
        }
    }

    /** What nobody attends and lay in the ring below the gate lies in the backlog now: it is read when somebody comes. */
    void gateRaised(long gate) {
        for (Lane lane : lanes) {
            if (lane.storedFirst() < gate) {
                unread.add(lane.storedFirst(), gate);
                lane.unstoreBelow(gate);
            }
        }
    }

    /** Nobody reads any more: memory is let go of, everything waits in the store. */
    void leaveToStore() {
        for (Lane lane : lanes) {
            lane.clearMemory(this::leaveToStore);
            lane.store(lane.aside().takeAll());
        }
    }

    private void leaveToStore(Ready ready) {
        remembered.keep(ready, 0);
        storeHolds(ready.sequence(), ready.message().priority());
    }

    private void storeHolds(long sequence, int priority) {
        if (!unread.contains(sequence)) { // else it is found there
            lane(priority).store(sequence);
        }
    }

    /** The subscription is gone. */
    void forget() {
        lanes.forEach(lane -> lane.clearMemory(ready -> {}));
        lanes.clear();
        heldForLater.values().forEach(ready -> budget.give(ready.weight()));
        heldForLater.clear();
        schedule.clear();
        unread.isReadThrough();
    }

    // ---- recovery

    void recoveredInRing(long sequence, int priority, long deliverAt) {
        if (deliverAt == 0) {
            lane(priority).store(sequence);
        } else {
            schedule.add(deliverAt, sequence, priority);
        }
    }

    /** @param gate the ring's */
    void recoveredInBacklog(long gate) {
        unread.addUpTo(gate);
    }

    void recoveredFailures(long sequence, int count, long notBefore) {
        remembered.failed(sequence, count, notBefore);
    }

    void recoveredBound(long mayHaveBeenDelivered) {
        remembered.redeliveredUpTo(mayHaveBeenDelivered);
    }
}
