package io.ringtable.acceptance.greed;

import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Counts the deeds of an attack, at the attacker's side: an attack that did nothing proves nothing. Thread: any. */
final class Deeds {
    private final Map<String, Long> counts = new TreeMap<>(); // guarded by this

    synchronized void add(String deed, long count) {
        counts.merge(deed, count, Long::sum);
        notifyAll();
    }

    /** Returns when the bite is done, or after a time. */
    synchronized void await(Bite bite, Duration most) throws InterruptedException {
        long end = System.nanoTime() + most.toNanos();
        for (long left = most.toMillis(); !bite.isDoneBy(this) && left > 0; left = millisUntil(end)) {
            wait(left);
        }
    }

    private static long millisUntil(long nanoTime) {
        return TimeUnit.NANOSECONDS.toMillis(nanoTime - System.nanoTime());
    }

    void add(String deed) {
        add(deed, 1);
    }

    synchronized long of(String deed) {
        return counts.getOrDefault(deed, 0L);
    }

    synchronized Map<String, Long> counts() {
        return Collections.unmodifiableMap(new TreeMap<>(counts));
    }

    @Override
    public String toString() {
        return counts().entrySet().stream()
                .map(deed -> String.format("%,d %s", deed.getValue(), deed.getKey()))
                .collect(Collectors.joining(", "));
    }
}
