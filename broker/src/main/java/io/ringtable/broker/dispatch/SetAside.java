package io.ringtable.broker.dispatch;

import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.roaringbitmap.longlong.LongIterator;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/**
 * Messages of one lane that were read and let go of again, because no consumer with credit may have them and memory has no
 * room to keep them: a bit each, by who may have them.
 * <p>
 * Thread: dispatcher.
 */
final class SetAside {
    private static final Roaring64Bitmap NONE = new Roaring64Bitmap(); // never written to
    private final Roaring64Bitmap unwanted = new Roaring64Bitmap(); // no consumer may have them
    private final Map<CreditWindow, Roaring64Bitmap> wanted = new IdentityHashMap<>();

    boolean isEmpty() {
        return unwanted.isEmpty() && wanted.isEmpty();
    }

    /** @param consumers all that read the subscription */
    void add(Ready ready, List<CreditWindow> consumers) {
        boolean isWanted = false;
        for (CreditWindow consumer : consumers) {
            if (consumer.mayHave(ready)) {
                wanted.computeIfAbsent(consumer, each -> new Roaring64Bitmap()).addLong(ready.sequence());
                isWanted = true;
            }
        }
        if (!isWanted) {
            unwanted.addLong(ready.sequence());
        }
    }

    /** The first that the consumer may have; {@link Long#MAX_VALUE} if there is none. */
    long first(CreditWindow consumer) {
        Roaring64Bitmap his = wanted.isEmpty() ? null : wanted.get(consumer);
        return his == null ? Long.MAX_VALUE : his.first();
    }

    /** Takes out the lowest that the consumer may have; empty if there are none. */
    Roaring64Bitmap takeFor(CreditWindow consumer, int max) {
        Roaring64Bitmap taken = new Roaring64Bitmap();
        Roaring64Bitmap his = wanted.get(consumer);
        if (his != null) {
            LongIterator each = his.getLongIterator();
            for (int i = 0; i < max && each.hasNext(); i++) {
                taken.addLong(each.next());
            }
            wanted.values().forEach(bits -> bits.andNot(taken));
            wanted.values().removeIf(Roaring64Bitmap::isEmpty);
        }
        return taken;
    }

    Roaring64Bitmap all() {
        Roaring64Bitmap all = unwanted.clone();
        wanted.values().forEach(all::or);
        return all;
    }

    /** Takes out everything: who may have it has to be asked again. */
    Roaring64Bitmap takeAll() {
        if (isEmpty()) {
            return NONE;
        }
        Roaring64Bitmap all = all();
        unwanted.clear();
        wanted.clear();
        return all;
    }

    /** Takes out what only that consumer may have, as far as was known. */
    Roaring64Bitmap forget(CreditWindow consumer) {
        Roaring64Bitmap his = wanted.remove(consumer);
        if (his == null) {
            return NONE;
        }
        wanted.values().forEach(his::andNot);
        return his;
    }

    /** It is over. */
    boolean remove(long sequence) {
        boolean was = unwanted.contains(sequence);
        unwanted.removeLong(sequence);
        for (Roaring64Bitmap bits : wanted.values()) {
            was |= bits.contains(sequence);
            bits.removeLong(sequence);
        }
        wanted.values().removeIf(Roaring64Bitmap::isEmpty);
        return was;
    }
}
