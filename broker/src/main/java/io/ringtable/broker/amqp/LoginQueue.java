package io.ringtable.broker.amqp;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;

/**
 * Logins that wait for their check. Origins take turns, and within an origin its user names do, so that one who asks often waits for
 * itself. Bounded: an origin may have {@value #OF_ORIGIN_MAX} waiting, all together {@value #ALL_MAX}.
 * <p>
 * Not thread-safe: {@link Logins} guards it.
 */
final class LoginQueue {
    static final int OF_ORIGIN_MAX = 1_000;
    static final int ALL_MAX = 4_000;

    /** What waits of one origin, by user name; the first name is the next. */
    private static final class Origin {
        private final Map<String, LinkedHashSet<LoginAttempt>> byName = new LinkedHashMap<>();
        private int size;
    }

    private final Map<String, Origin> origins = new LinkedHashMap<>(); // the first is the next
    private int size;

    /** @return false if there is no room for it */
    boolean add(LoginAttempt attempt) {
        Origin origin = origins.computeIfAbsent(attempt.origin(), key -> new Origin());
        // An origin that waits for nothing yet finds room beyond the bound of all: origins are as many as connections.
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

    /** The next one, or null. */
    LoginAttempt poll() {
        Iterator<Map.Entry<String, Origin>> first = origins.entrySet().iterator();
        if (!first.hasNext()) {
            return null;
        }
        Map.Entry<String, Origin> entry = first.next();
        String key = entry.getKey();
        Origin origin = entry.getValue();
        first.remove();
        LoginAttempt attempt = poll(origin);
        if (origin.size > 0) {
            origins.put(key, origin);
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

    /** @return false if it does not wait any more */
    boolean remove(LoginAttempt attempt) {
        Origin origin = origins.get(attempt.origin());
        LinkedHashSet<LoginAttempt> waiting = origin == null ? null : origin.byName.get(attempt.name());
        if (waiting == null || !waiting.remove(attempt)) {
            return false;
        }
        if (waiting.isEmpty()) {
            origin.byName.remove(attempt.name());
        }
        if (--origin.size == 0) {
            origins.remove(attempt.origin());
        }
        size--;
        return true;
    }
}
