package io.ringtable.broker.dispatch.owed;

import io.ringtable.broker.agent.Slice;
import io.ringtable.broker.dispatch.memory.MemoryBudget;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.roaringbitmap.longlong.LongIterator;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/**
 * Holds what a subscription owes of one priority, in order of sequence.
 * <pre>
 *   queue     next to be given, in order                       in memory
 *   returned  out of order: given back, passed over, come due  in memory
 *   stored    a bit each, read back when they are next         in the store
 * </pre>
 * Nothing in memory is given before what lies in the store below it.
 * <p>
 * Thread: dispatcher.
 */
final class PriorityLevel {
    private static final long NOTHING = Long.MAX_VALUE;

    private final int priority;
    private final MemoryBudget budget;
    private final Deque<Ready> queue = new ArrayDeque<>();
    private final TreeMap<Long, Ready> returned = new TreeMap<>();
    private final Roaring64Bitmap stored = new Roaring64Bitmap();
    private final EvictedMessages evicted = new EvictedMessages();
    private long storedFirst = NOTHING;
    private final Map<Recipient, Long> passed =
            new IdentityHashMap<>(2); // up to here, nothing returned is for that consumer
    private long passedMax; // the highest of them
    private boolean interrupted; // the last look ended with its slice
    private ConsumerPoll poll; // about the head of the queue; null = none under way

    /** Gives another place to the head of the queue, which a consumer may not have. */
    interface PassedOver {
        /** @return false if the slice was over before the head had another place */
        boolean passOver(PriorityLevel level, Ready head, List<? extends Recipient> all, Slice slice);
    }

    PriorityLevel(int priority, MemoryBudget budget) {
        this.priority = priority;
        this.budget = budget;
    }

    int priority() {
        return priority;
    }

    int inMemory() {
        return queue.size() + returned.size();
    }

    /** Returns whether nothing waits here, in memory or in the store. */
    boolean isEmpty() {
        return queue.isEmpty() && returned.isEmpty() && isStoredEmpty() && evicted.isEmpty();
    }

    boolean isStoredEmpty() {
        return storedFirst == NOTHING;
    }

    /** Returns the first sequence in the store; {@link Long#MAX_VALUE} if there is none. */
    long storedFirst() {
        return storedFirst;
    }

    /**
     * Returns whether what lies in the store holds up what is in memory.
     *
     * @param hungry whether a consumer found nothing: what comes before in memory is for others
     */
    boolean isStoredNext(boolean hungry) {
        return storedFirst < NOTHING
                && (queue.isEmpty() || storedFirst < queue.peek().sequence())
                && (hungry || returned.isEmpty() || storedFirst < returned.firstKey());
    }

    boolean isStored(long sequence) {
        return sequence >= storedFirst && stored.contains(sequence);
    }

    EvictedMessages evicted() {
        return evicted;
    }

    int queued() {
        return queue.size();
    }

    /** Adds a message behind all others if it comes after them, else out of order. */
    void add(Ready ready) {
        if (queue.isEmpty() ? returned.isEmpty() || returned.lastKey() < ready.sequence() : isLast(ready)) {
            queue.add(ready);
            budget.take(ready.weight());
        } else {
            giveBack(ready);
        }
    }

    private boolean isLast(Ready ready) {
        return queue.peekLast().sequence() < ready.sequence();
    }

    /** Takes in a message out of order. */
    void giveBack(Ready ready) {
        returned.put(ready.sequence(), ready);
        budget.take(ready.weight());
        if (ready.sequence() <= passedMax) {
            passedMax = ready.sequence() - 1;
            passed.replaceAll((consumer, upTo) -> Math.min(upTo, passedMax));
        }
    }

    private void hasPassed(Recipient consumer, long sequence) {
        passed.merge(consumer, sequence, Math::max);
        passedMax = Math.max(passedMax, sequence);
    }

    void store(long sequence) {
        stored.addLong(sequence);
        storedFirst = Math.min(storedFirst, sequence);
    }

    void store(Roaring64Bitmap sequences) {
        if (!sequences.isEmpty()) {
            stored.or(sequences);
            storedFirst = Math.min(storedFirst, sequences.first());
        }
    }

    /** @return false if it does not lie in the store */
    boolean unstore(long sequence) {
        if (!isStored(sequence)) {
            return false;
        }
        stored.removeLong(sequence);
        if (sequence == storedFirst) {
            storedFirst = stored.isEmpty() ? NOTHING : stored.first();
        }
        return true;
    }

    void unstoreBelow(long end) {
        while (storedFirst < end) {
            unstore(storedFirst);
        }
    }

    /** Returns the next sequences to read from the store, in order, below {@code end}. */
    long[] nextStored(int max, long end) {
        return first(stored, max, end);
    }

    /** Returns the first of the sequences, in order, below {@code end}. */
    static long[] first(Roaring64Bitmap sequences, int max, long end) {
        long[] first = new long[(int) Math.min(max, sequences.getLongCardinality())];
        int count = 0;
        for (LongIterator each = sequences.getLongIterator(); count < first.length && each.hasNext(); ) {
            long sequence = each.next();
            if (sequence >= end) {
                break;
            }
            first[count++] = sequence;
        }
        return count == first.length ? first : Arrays.copyOf(first, count);
    }

    /**
     * Returns the first message that the consumer may have, if nothing in the store comes before it. Asks about at
     * least one message, however little is left of the slice.
     *
     * @param before only a message below it
     * @param all the consumers of the subscription
     * @param passedOver takes the heads of the queue that the consumer may not have
     * @return null if there is none, or if the slice was over before, which {@link #isInterrupted} tells
     */
    Ready peek(Recipient consumer, long before, List<? extends Recipient> all, PassedOver passedOver, Slice slice) {
        interrupted = false;
        long end = Math.min(storedFirst, before);
        Ready back = returned.isEmpty() ? null : firstReturned(consumer, slice);
        if (interrupted) {
            return null;
        }
        Ready head;
        while ((head = queue.peek()) != null && (back == null || head.sequence() < back.sequence())) {
            if (interrupted || head.sequence() >= end) {
                return null;
            }
            if (consumer.mayHave(head, slice)) {
                return head;
            }
            if (!passedOver.passOver(this, head, all, slice)) {
                interrupted = true;
                return null;
            }
            hasPassed(consumer, head.sequence());
            interrupted = slice.isOver();
        }
        interrupted = false;
        return back != null && back.sequence() < end ? back : null;
    }

    private Ready firstReturned(Recipient consumer, Slice slice) {
        Long upTo = passed.get(consumer);
        for (Ready ready : (upTo == null ? returned : returned.tailMap(upTo, false)).values()) {
            if (interrupted) {
                return null;
            }
            if (consumer.mayHave(ready, slice)) {
                return ready;
            }
            hasPassed(consumer, ready.sequence());
            interrupted = slice.isOver();
        }
        interrupted = false;
        return null;
    }

    /** Returns whether the slice was over before {@link #peek} knew. */
    boolean isInterrupted() {
        return interrupted;
    }

    /**
     * Asks all consumers whether they may have the head of the queue.
     *
     * @return null if the slice was over before the answer was known
     */
    ConsumerPoll poll(Ready head, List<? extends Recipient> all, Slice slice) {
        if (poll == null || !poll.isAbout(head)) {
            poll = new ConsumerPoll(head, all);
        }
        if (!poll.goOn(slice)) {
            return null;
        }
        ConsumerPoll done = poll;
        poll = null;
        return done;
    }

    /** Removes the head of the queue. */
    void removeHead() {
        budget.give(queue.remove().weight());
    }

    void take(Ready ready) {
        if (queue.peek() == ready) {
            removeHead();
        } else {
            returned.remove(ready.sequence());
            budget.give(ready.weight());
        }
    }

    /**
     * Takes a message that waits in memory out of it, wherever it waits.
     *
     * @return null if it does not
     */
    Ready remove(long sequence) {
        Ready waiting = returned.remove(sequence);
        if (waiting == null && !queue.isEmpty() && queue.peek().sequence() <= sequence) {
            for (Iterator<Ready> each = queue.iterator(); waiting == null && each.hasNext(); ) {
                Ready ready = each.next();
                if (ready.sequence() == sequence) {
                    each.remove();
                    waiting = ready;
                }
            }
        }
        if (waiting != null) {
            budget.give(waiting.weight());
        }
        return waiting;
    }

    /** Returns the message if it waits in memory, else null. */
    Ready find(long sequence) {
        Ready waiting = returned.get(sequence);
        if (waiting == null && !queue.isEmpty() && queue.peek().sequence() <= sequence) {
            for (Iterator<Ready> each = queue.iterator(); waiting == null && each.hasNext(); ) {
                Ready ready = each.next();
                waiting = ready.sequence() == sequence ? ready : null;
            }
        }
        return waiting;
    }

    /** Returns the first sequence that waits in memory or is to be read next; {@link Long#MAX_VALUE} if none is. */
    long first() {
        long queued = queue.isEmpty() ? NOTHING : queue.peek().sequence();
        long back = returned.isEmpty() ? NOTHING : returned.firstKey();
        return Math.min(storedFirst, Math.min(queued, back));
    }

    /** Adds all that waits in memory, in no order. */
    void addAll(List<Ready> list) {
        list.addAll(queue);
        list.addAll(returned.values());
    }

    /** Adds the first of what waits in memory, in order, until the list has that many. */
    void addFirst(List<Ready> list, int size) {
        Iterator<Ready> back = returned.values().iterator();
        Iterator<Ready> queued = queue.iterator();
        Ready nextBack = back.hasNext() ? back.next() : null;
        Ready nextQueued = queued.hasNext() ? queued.next() : null;
        while (list.size() < size && (nextBack != null || nextQueued != null)) {
            if (nextQueued == null || nextBack != null && nextBack.sequence() < nextQueued.sequence()) {
                list.add(nextBack);
                nextBack = back.hasNext() ? back.next() : null;
            } else {
                list.add(nextQueued);
                nextQueued = queued.hasNext() ? queued.next() : null;
            }
        }
    }

    /** Begins the poll anew, as another consumer must be asked. */
    void consumerCame() {
        poll = null;
    }

    void forget(Recipient consumer) {
        passed.remove(consumer);
        poll = null;
    }

    /** Has all consumers asked again, as they may have what they might not before. */
    void askAnew() {
        passed.clear();
        poll = null;
    }

    /**
     * Lets go of memory.
     *
     * @param each gets what waited there
     */
    void clearMemory(Consumer<Ready> each) {
        for (Ready ready : returned.values()) {
            budget.give(ready.weight());
            each.accept(ready);
        }
        for (Ready ready : queue) {
            budget.give(ready.weight());
            each.accept(ready);
        }
        returned.clear();
        queue.clear();
        askAnew();
    }

    /** Returns the sequences of all messages, wherever they wait. */
    Roaring64Bitmap sequences() {
        Roaring64Bitmap all = evicted.all();
        all.or(stored);
        queue.forEach(ready -> all.addLong(ready.sequence()));
        returned.keySet().forEach(all::addLong);
        return all;
    }

    /** Returns what waits in memory, in order. */
    List<Ready> inOrder() {
        List<Ready> all = new ArrayList<>(returned.values());
        all.addAll(queue);
        all.sort(Comparator.comparingLong(Ready::sequence));
        return all;
    }
}
