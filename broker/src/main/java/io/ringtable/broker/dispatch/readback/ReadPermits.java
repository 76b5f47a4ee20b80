package io.ringtable.broker.dispatch.readback;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Bounds how many reads of the store are under way at once. So what they find has been given out, and counted, before
 * others ask whether there is room for more. The rest wait in order.
 * <p>
 * Thread: dispatcher.
 */
public final class ReadPermits {
    /** As many as there are threads that read, and one waiting for each. */
    private static final int AT_ONCE = 4;

    private final Map<Object, Runnable> waiting = new LinkedHashMap<>();
    private int underWay;

    /** A read that is under way. It ends once: when what it found has been taken, or when it has to be tried again. */
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
     * @param asking who wants to read; it waits at most once
     * @param again looks anew whether it wants to, when a permit is free
     * @return null if none is free yet
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
