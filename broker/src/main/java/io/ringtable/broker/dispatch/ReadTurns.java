package io.ringtable.broker.dispatch;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Who may read messages back next. A few reads are under way at once, so that what they find has been given out, and counted,
 * before others ask whether there is room for more. The rest wait in order.
 * <p>
 * Thread: dispatcher.
 */
final class ReadTurns {
    /** As many as there are threads that read, and one waiting for each. */
    private static final int AT_ONCE = 4;

    private final Map<Object, Runnable> waiting = new LinkedHashMap<>();
    private int underWay;

    /** A read that is under way. It ends once: when what it found has been taken, or when it has to be tried again. */
    final class Read {
        private boolean over;

        private Read() {
            underWay++;
        }

        void end() {
            if (!over) {
                over = true;
                underWay--;
                next();
            }
        }
    }

    /**
     * @param reader who wants to read; it waits at most once
     * @param again looks anew whether it wants to, when its turn comes
     * @return null if it is not its turn yet
     */
    Read begin(Object reader, Runnable again) {
        if (underWay >= AT_ONCE) {
            waiting.putIfAbsent(reader, again);
            return null;
        }
        waiting.remove(reader);
        return new Read();
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
