package io.ringtable.broker.login;

import io.ringtable.broker.login.LoginFailures.Standing;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;

/**
 * Queues logins that wait for their check. Origins of a better {@link Standing} come first. Those of the same standing
 * take turns, and so do the user names within an origin. Frequent attempts therefore wait for each other, and wrong
 * ones for origins with a good record. Every fourth check goes to an origin of the worst standing. The queue is
 * bounded: to {@value #OF_ORIGIN_MAX} logins of one origin, and {@value #ALL_MAX} in all.
 * <p>
 * Not thread-safe: {@link Logins} guards it.
 */
final class LoginQueue {
    static final int OF_ORIGIN_MAX = 1_000;
    static final int ALL_MAX = 4_000;

    /** Holds what waits of one origin, by user name; the first name is the next. */
    private static final class Origin {
        private final Map<String, LinkedHashSet<LoginAttempt>> byName = new LinkedHashMap<>();
        private int size;
    }

    private static final int WORST_EVERY = 4;

    /** Holds the origins of each standing, by name; the first is the next. */
    private final Map<Standing, Map<String, Origin>> origins = new EnumMap<>(Standing.class);

    private int size;
    private int polls;

    LoginQueue() {
        for (Standing standing : Standing.values()) {
            origins.put(standing, new LinkedHashMap<>());
        }
    }

    /** Adds an attempt. @return false if there is no room for it */
    public boolean add(LoginAttempt attempt, Standing standing) {
        Origin origin = originsOf(attempt.origin(), standing).computeIfAbsent(attempt.origin(), key -> new Origin());
        // An origin without a waiting login finds room beyond the bound of all: there are no more origins than
        // connections.
        if (origin.size >= OF_ORIGIN_MAX || size >= ALL_MAX && origin.size > 0) {
            return false;
        }
        origin.byName
                .computeIfAbsent(attempt.name(), key -> new LinkedHashSet<>())
                .add(attempt);
        origin.size++;
        size++;
        return true;
    }

    /** Finds the origins among which an origin waits: its logins stay together where the first began to wait. */
    private Map<String, Origin> originsOf(String name, Standing standing) {
        for (Map<String, Origin> each : origins.values()) {
            if (each.containsKey(name)) {
                return each;
            }
        }
        return origins.get(standing);
    }

    /** Takes the next attempt; null if none waits. */
    public LoginAttempt poll() {
        boolean worstFirst = ++polls % WORST_EVERY == 0;
        Map<String, Origin> next = null;
        for (Map<String, Origin> each : origins.values()) {
            if (!each.isEmpty() && (next == null || worstFirst)) {
                next = each;
            }
        }
        return next == null ? null : pollOf(next);
    }

    private LoginAttempt pollOf(Map<String, Origin> standing) {
        Iterator<Map.Entry<String, Origin>> first = standing.entrySet().iterator();
        Map.Entry<String, Origin> entry = first.next();
        String key = entry.getKey();
        Origin origin = entry.getValue();
        first.remove();
        LoginAttempt attempt = poll(origin);
        if (origin.size > 0) {
            standing.put(key, origin);
        }
        return attempt;
    }

    private LoginAttempt poll(Origin origin) {
        Iterator<Map.Entry<String, LinkedHashSet<LoginAttempt>>> first =
                origin.byName.entrySet().iterator();
        Map.Entry<String, LinkedHashSet<LoginAttempt>> entry = first.next();
        String name = entry.getKey();
        LinkedHashSet<LoginAttempt> waiting = entry.getValue();
        first.remove();
        LoginAttempt attempt = waiting.iterator().next();
        waiting.remove(attempt);
        if (!waiting.isEmpty()) {
            origin.byName.put(name, waiting);
        }
        origin.size--;
        size--;
        return attempt;
    }

    /** Removes an attempt. @return false if it no longer waits */
    public boolean remove(LoginAttempt attempt) {
        Map<String, Origin> standing = originsOf(attempt.origin(), Standing.NEW);
        Origin origin = standing.get(attempt.origin());
        LinkedHashSet<LoginAttempt> waiting = origin == null ? null : origin.byName.get(attempt.name());
        if (waiting == null || !waiting.remove(attempt)) {
            return false;
        }
        if (waiting.isEmpty()) {
            origin.byName.remove(attempt.name());
        }
        if (--origin.size == 0) {
            standing.remove(attempt.origin());
        }
        size--;
        return true;
    }
}
