package io.ringtable.broker.message;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Keeps those who wait for room in an address, in their order, and wakes as many as somebody asks for.
 * <p>
 * Thread: any. Whoever stops waiting is let go of at once; its empty place leaves the queue later, with many others.
 */
final class Waiters {
    private static final int EMPTY_MAX = 256;

    private final ConcurrentLinkedQueue<AtomicReference<Runnable>> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger places = new AtomicInteger(); // in the queue
    private final AtomicInteger empty = new AtomicInteger(); // of those, left by whoever waited there

    /** @return stops waiting; may be called more than once */
    Runnable add(Runnable listener) {
        AtomicReference<Runnable> place = new AtomicReference<>(listener);
        places.incrementAndGet();
        queue.add(place);
        return () -> leave(place);
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }

    /** Calls those that have waited longest, each once and no more. */
    void wake(int most) {
        AtomicReference<Runnable> place;
        for (int woken = 0; woken < most && (place = queue.poll()) != null; ) {
            places.decrementAndGet();
            Runnable listener = place.getAndSet(null);
            if (listener == null) {
                empty.decrementAndGet();
            } else {
                listener.run();
                woken++;
            }
        }
    }

    private void leave(AtomicReference<Runnable> place) {
        if (place.getAndSet(null) != null) {
            int left = empty.incrementAndGet();
            if (left > EMPTY_MAX && left > places.get() / 2) {
                sweep();
            }
        }
    }

    /** The counts say when to sweep and nothing else: others may come and go meanwhile. */
    private void sweep() {
        empty.set(0);
        queue.removeIf(place -> place.get() == null);
        places.set(queue.size());
    }
}
