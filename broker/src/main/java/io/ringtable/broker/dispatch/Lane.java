package io.ringtable.broker.dispatch;

import io.ringtable.broker.agent.Slice;
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
 * What a subscription owes of one priority, in order of sequence.
 * <pre>
 *   window    next to be given, in order                      in memory
 *   returned  out of turn: given back, passed over, come due  in memory
 *   stored    a bit each, read back when their turn comes     in the store
 * </pre>
 * Nothing in memory is given before what lies in the store below it.
 * <p>
 * Thread: dispatcher.
 */
final class Lane {
    private static final long NOTHING = Long.MAX_VALUE;

    private final int priority;
    private final MemoryBudget budget;
    private final Deque<Ready> window = new ArrayDeque<>();
    private final TreeMap<Long, Ready> returned = new TreeMap<>();
    private final Roaring64Bitmap stored = new Roaring64Bitmap();
    private final SetAside aside = new SetAside();
    private long storedFirst = NOTHING;
    private final Map<CreditWindow, Long> passed =
            new IdentityHashMap<>(2); // up to where nothing returned is for that consumer
    private long passedMax; // none of them is above
    private boolean interrupted; // the last look, by the end of its slice
    private Inquiry inquiry; // about the head of the window, which some consumer may not have; null = none is under way

    /** Gives another place to the head of the window, which a consumer may not have. */
    interface PassedOver {
        /** @return false if the slice was over before it had one */
        boolean passOver(Lane lane, Ready head, List<CreditWindow> all, Slice slice);
    }

    Lane(int priority, MemoryBudget budget) {
        this.priority = priority;
        this.budget = budget;
    }

    int priority() {
        return priority;
    }

    int inMemory() {
        return window.size() + returned.size();
    }

    boolean isStoredEmpty() {
        return storedFirst == NOTHING;
    }

    /** Of those that lie in the store; {@link Long#MAX_VALUE} if none does. */
    long storedFirst() {
        return storedFirst;
    }

    /**
     * Whether what lies in the store holds up what is in memory.
     *
     * @param hungry some consumer found nothing: what comes before in memory is for others
     */
    boolean isStoredNext(boolean hungry) {
        return storedFirst < NOTHING
                && (window.isEmpty() || storedFirst < window.peek().sequence())
                && (hungry || returned.isEmpty() || storedFirst < returned.firstKey());
    }

    boolean isStored(long sequence) {
        return sequence >= storedFirst && stored.contains(sequence);
    }

    SetAside aside() {
        return aside;
    }

    int windowSize() {
        return window.size();
    }

    /** Behind all others if it comes after them, else out of turn. */
    void add(Ready ready) {
        if (window.isEmpty() ? returned.isEmpty() || returned.lastKey() < ready.sequence() : isLast(ready)) {
            window.add(ready);
            budget.take(ready.weight());
        } else {
            giveBack(ready);
        }
    }

    private boolean isLast(Ready ready) {
        return window.peekLast().sequence() < ready.sequence();
    }

    /** Out of turn. */
    void giveBack(Ready ready) {
        returned.put(ready.sequence(), ready);
        budget.take(ready.weight());
        if (ready.sequence() <= passedMax) {
            passedMax = ready.sequence() - 1;
            passed.replaceAll((consumer, upTo) -> Math.min(upTo, passedMax));
        }
    }

    private void hasPassed(CreditWindow consumer, long sequence) {
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

    /** The next ones to read from the store, in order, below {@code end}. */
    long[] nextStored(int max, long end) {
        return first(stored, max, end);
    }

    /** The first of them, in order, below {@code end}. */
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
     * The first that the consumer may have, if nothing in the store comes before it. Asks about one message at the least, however
     * little is left of the slice.
     *
     * @param before only if it is below
     * @param all that read the subscription
     * @param passedOver takes those at the head of the window that it may not have
     * @return null if there is none, or none was found before the slice was over, which {@link #isInterrupted} says
     */
    Ready peek(CreditWindow consumer, long before, List<CreditWindow> all, PassedOver passedOver, Slice slice) {
        interrupted = false;
        long end = Math.min(storedFirst, before);
        Ready back = returned.isEmpty() ? null : firstReturned(consumer, slice);
        if (interrupted) {
            return null;
        }
        Ready head;
        while ((head = window.peek()) != null && (back == null || head.sequence() < back.sequence())) {
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

    private Ready firstReturned(CreditWindow consumer, Slice slice) {
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

    /** Whether the slice was over before {@link #peek} knew. */
    boolean isInterrupted() {
        return interrupted;
    }

    /** Asks all of them whether they may have the head of the window. @return null if the slice was over before it was known */
    Inquiry inquire(Ready head, List<CreditWindow> all, Slice slice) {
        if (inquiry == null || !inquiry.isAbout(head)) {
            inquiry = new Inquiry(head, all);
        }
        if (!inquiry.goOn(slice)) {
            return null;
        }
        Inquiry done = inquiry;
        inquiry = null;
        return done;
    }

    /** The head of the window leaves its place. */
    void removeHead() {
        budget.give(window.remove().weight());
    }

    void take(Ready ready) {
        if (window.peek() == ready) {
            removeHead();
        } else {
            returned.remove(ready.sequence());
            budget.give(ready.weight());
        }
    }

    /** Takes out of memory what waits there, wherever. @return null if it does not */
    Ready remove(long sequence) {
        Ready waiting = returned.remove(sequence);
        if (waiting == null && !window.isEmpty() && window.peek().sequence() <= sequence) {
            for (Iterator<Ready> each = window.iterator(); waiting == null && each.hasNext(); ) {
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

    /** It is one of those that are asked from now on. */
    void consumerCame() {
        inquiry = null;
    }

    void forget(CreditWindow consumer) {
        passed.remove(consumer);
        inquiry = null;
    }

    /** Consumers may have what they might not before. */
    void askAnew() {
        passed.clear();
        inquiry = null;
    }

    /** Memory is let go of. @param each what waited there */
    void clearMemory(Consumer<Ready> each) {
        for (Ready ready : returned.values()) {
            budget.give(ready.weight());
            each.accept(ready);
        }
        for (Ready ready : window) {
            budget.give(ready.weight());
            each.accept(ready);
        }
        returned.clear();
        window.clear();
        askAnew();
    }

    /** Wherever they wait. */
    Roaring64Bitmap sequences() {
        Roaring64Bitmap all = aside.all();
        all.or(stored);
        window.forEach(ready -> all.addLong(ready.sequence()));
        returned.keySet().forEach(all::addLong);
        return all;
    }

    /** What waits in memory, in order. */
    List<Ready> inOrder() {
        List<Ready> all = new ArrayList<>(returned.values());
        all.addAll(window);
        all.sort(Comparator.comparingLong(Ready::sequence));
        return all;
    }
}
