package io.ringtable.broker.dispatch.owed;

import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.roaringbitmap.longlong.LongIterator;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/**
 * Remembers the evicted messages of one level: no consumer with credit may have them, and memory has no room to keep
 * them. Each takes a bit, and notes of the consumers that may have it.
 * <p>
 * Thread: dispatcher.
 */
final class EvictedMessages {
    /** Bounds the consumers noted for one message, so that the notes stay in proportion to the messages. */
    private static final int NOTED_MAX = 8;

    private static final Roaring64Bitmap NONE = new Roaring64Bitmap(); // never written to

    private final Roaring64Bitmap all = new Roaring64Bitmap();
    private final Map<Recipient, Roaring64Bitmap> noted =
            new IdentityHashMap<>(2); // what a consumer may have; some of it is not here any more
    private final Roaring64Bitmap ofMany = new Roaring64Bitmap(); // with more consumers than are noted; some are gone
    private final Map<Recipient, Long> ofManyFrom =
            new IdentityHashMap<>(2); // the first of many that the consumer may have; absent = there is none

    boolean isEmpty() {
        return all.isEmpty();
    }

    boolean contains(long sequence) {
        return all.contains(sequence);
    }

    /** @param wanting the consumers that may have it: none of them has credit */
    void add(long sequence, List<Recipient> wanting) {
        all.addLong(sequence);
        if (wanting.size() <= NOTED_MAX) {
            for (Recipient consumer : wanting) {
                noted.computeIfAbsent(consumer, each -> new Roaring64Bitmap()).addLong(sequence);
            }
        } else {
            ofMany.addLong(sequence);
            for (Recipient consumer : wanting) {
                ofManyFrom.merge(consumer, sequence, Math::min);
            }
        }
    }

    /** Returns a sequence below which nothing is for the consumer; {@link Long#MAX_VALUE} if nothing is at all. */
    long first(Recipient consumer) {
        return all.isEmpty() ? Long.MAX_VALUE : Math.min(firstNoted(consumer), firstOfMany(consumer));
    }

    private long firstNoted(Recipient consumer) {
        Roaring64Bitmap his = noted.get(consumer);
        while (his != null && !his.isEmpty()) {
            long first = his.first();
            if (all.contains(first)) {
                return first;
            }
            his.removeLong(first);
        }
        return Long.MAX_VALUE;
    }

    private long firstOfMany(Recipient consumer) {
        return ofManyFrom.getOrDefault(consumer, Long.MAX_VALUE);
    }

    /** Takes out the lowest that the consumer may have, among others that many may have; empty if there are none. */
    Roaring64Bitmap takeFor(Recipient consumer, int max) {
        if (all.isEmpty()) {
            return NONE;
        }
        Roaring64Bitmap taken = new Roaring64Bitmap();
        Roaring64Bitmap his = noted.get(consumer);
        if (his != null) {
            his.andNot(take(his.getLongIterator(), max, taken));
            if (his.isEmpty()) {
                noted.remove(consumer);
            }
        }
        Long from = ofManyFrom.remove(consumer);
        if (from != null) {
            LongIterator each = ofMany.getLongIteratorFrom(from);
            take(each, max - taken.getIntCardinality(), taken);
            if (each.hasNext()) {
                ofManyFrom.put(consumer, each.next());
            }
        }
        all.andNot(taken);
        ofMany.andNot(taken);
        return taken;
    }

    /** @return the sequences that it looked at */
    private Roaring64Bitmap take(LongIterator each, int max, Roaring64Bitmap taken) {
        Roaring64Bitmap seen = new Roaring64Bitmap();
        for (int left = max; left > 0 && each.hasNext(); ) {
            long sequence = each.next();
            seen.addLong(sequence);
            if (all.contains(sequence)) {
                taken.addLong(sequence);
                left--;
            }
        }
        return seen;
    }

    Roaring64Bitmap all() {
        return all.clone();
    }

    /** Takes out everything: the consumers that may have it must be asked again. */
    Roaring64Bitmap takeAll() {
        if (all.isEmpty()) {
            return NONE;
        }
        Roaring64Bitmap everything = all.clone();
        all.clear();
        noted.clear();
        ofMany.clear();
        ofManyFrom.clear();
        return everything;
    }

    /** Takes out what is noted for a consumer that has gone, as perhaps no other is known to want it. */
    Roaring64Bitmap forget(Recipient consumer) {
        ofManyFrom.remove(consumer);
        Roaring64Bitmap his = noted.remove(consumer);
        if (his == null) {
            return NONE;
        }
        his.and(all);
        all.andNot(his);
        ofMany.andNot(his);
        return his;
    }

    /**
     * Removes a message that is over.
     *
     * @return false if it is not here
     */
    boolean remove(long sequence) {
        boolean was = all.contains(sequence);
        if (was) {
            all.removeLong(sequence);
            ofMany.removeLong(sequence);
        }
        return was;
    }
}
