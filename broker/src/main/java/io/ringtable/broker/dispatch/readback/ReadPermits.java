package io.ringtable.broker.dispatch.readback;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Bounds how many reads of the store are under way at once. So what they find has been given out, and counted, before
 * other subscriptions ask whether there is room. The rest wait in order.
 * <p>
 * Thread: dispatcher.
 */
public final class ReadPermits {
    /** Bounds the reads under way: one for each thread that reads, and one waiting for each. */
    private static final int AT_ONCE = 4;

    private final Map<Object, Runnable> waiting = new LinkedHashMap<>();
    private int underWay;

    /**
     * Stands for a read that is under way. The permit ends once: when what was found has been taken, or when the read
     * must be tried again.
     */
    public final class Permit {
        private boolean over;

        private Permit() {
            underWay++;
        }

        public void end() {
            if (!over) {
                over = true;
                underWay--;
                next();
            }
        }
    }

    /**
     * Begins a read, or lets it wait.
     *
     * @param asking the subscription or browser that wants to read; it waits at most once
     * @param again looks anew whether it still wants to, when a permit is free
     * @return null if no permit is free yet
     */
    public Permit begin(Object asking, Runnable again) {
        if (underWay >= AT_ONCE) {
            waiting.putIfAbsent(asking, again);
            return null;
        }
        waiting.remove(asking);
        return new Permit();
    }

    private void next() {
        while (underWay < AT_ONCE && !waiting.isEmpty()) {
            Iterator<Runnable> first = waiting.values().iterator();
            Runnable again = first.next();
            first.remove();
            again.run();
        }
    }
}
