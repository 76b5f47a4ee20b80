package io.ringtable.broker.amqp;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongSupplier;

/**
 * Bounds the connections that have not logged in and opened yet, apart from those that have. Beyond the bound one of
 * the origin with most of them must go: its oldest, which has had its time. Where even the oldest is young, its
 * youngest goes, as the others are about to finish. A crowd that reconnects at once gets in one after the other.
 * Sockets that never log in keep out nobody from elsewhere, and clients of their own origin for a moment only.
 * <p>
 * Thread: any; its own lock, held for an instant, guards it.
 *
 * @param <T> what stands for a connection
 */
final class Handshakes<T> {
    private record Waiting<T>(T connection, long since) {}

    /** Holds the connections of one origin, in the order of their numbers. */
    private static final class Origin<T> {
        private final String name;
        private final TreeMap<Long, Waiting<T>> waiting = new TreeMap<>();

        Origin(String name) {
            this.name = name;
        }

        int size() {
            return waiting.size();
        }
    }

    private final int most;
    private final long timeNanos;
    private final LongSupplier nanos;
    private final Map<String, Origin<T>> origins = new HashMap<>();
    private final TreeSet<Origin<T>> bySize = new TreeSet<>(
            Comparator.comparingInt((Origin<T> origin) -> origin.size()).thenComparing(origin -> origin.name));
    private int size;

    /**
     * Makes an empty set.
     *
     * @param most connections at a time
     * @param timeNanos that each one has before it counts as old
     */
    Handshakes(int most, long timeNanos, LongSupplier nanos) {
        this.most = most;
        this.timeNanos = timeNanos;
        this.nanos = nanos;
    }

    /**
     * Adds a connection.
     *
     * @param number of the connection: later ones have higher numbers
     * @return the connection that must go, which is no longer counted; perhaps this one; null if there is room
     */
    synchronized T enter(String origin, long number, T connection) {
        Origin<T> its = origins.computeIfAbsent(origin, Origin::new);
        bySize.remove(its);
        its.waiting.put(number, new Waiting<>(connection, nanos.getAsLong()));
        bySize.add(its);
        size++;
        return size > most ? takeFrom(bySize.last()) : null;
    }

    private T takeFrom(Origin<T> crowd) {
        boolean isOld =
                nanos.getAsLong() - crowd.waiting.firstEntry().getValue().since() >= timeNanos;
        Map.Entry<Long, Waiting<T>> going = isOld ? crowd.waiting.firstEntry() : crowd.waiting.lastEntry();
        leave(crowd.name, going.getKey());
        return going.getValue().connection();
    }

    /** Takes out a connection that is open now, or gone. @return false if it was out */
    synchronized boolean leave(String origin, long number) {
        Origin<T> its = origins.get(origin);
        if (its == null || !its.waiting.containsKey(number)) {
            return false;
        }
        bySize.remove(its);
        its.waiting.remove(number);
        size--;
        if (its.waiting.isEmpty()) {
            origins.remove(origin);
        } else {
            bySize.add(its);
        }
        return true;
    }
}
