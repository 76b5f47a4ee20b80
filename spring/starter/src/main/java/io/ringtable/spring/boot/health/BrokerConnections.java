package io.ringtable.spring.boot.health;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Holds the application's connections to the broker, and of each kind the last one that could not be opened.
 * <p>
 * Thread: any.
 */
public final class BrokerConnections {
    private final AtomicLong counter = new AtomicLong();
    private final Set<Opened> opened = ConcurrentHashMap.newKeySet();
    private final Map<String, Failed> failed = new ConcurrentHashMap<>();

    /** Adds a connection; it counts until it is over. */
    public void opened(WatchedConnection connection) {
        opened.removeIf(earlier -> earlier.connection.isOver());
        opened.add(new Opened(counter.incrementAndGet(), connection));
    }

    /**
     * Notes that a connection could not be opened or is lost for good. That counts until a later one of its kind
     * stands.
     *
     * @param kind as {@link WatchedConnection#kind()}
     */
    public void failed(String kind, Throwable cause) {
        failed.put(kind, new Failed(counter.incrementAndGet(), String.valueOf(cause.getMessage())));
    }

    /** Looks at all connections. */
    public Report report() {
        Map<String, Integer> standing = new TreeMap<>();
        Map<String, String> troubles = new TreeMap<>();
        Map<String, Long> newest = new TreeMap<>();
        opened.removeIf(each -> each.connection.isOver());
        for (Opened each : opened) {
            String kind = each.connection.kind();
            String trouble = each.connection.trouble();
            if (trouble == null) {
                standing.merge(kind, 1, Integer::sum);
                newest.merge(kind, each.number, Math::max);
            } else {
                troubles.put(kind, trouble);
            }
        }
        failed.forEach((kind, failure) -> {
            if (failure.number > newest.getOrDefault(kind, 0L)) {
                troubles.putIfAbsent(kind, failure.cause);
            }
        });
        return new Report(standing, troubles);
    }

    /**
     * Says how the connections are.
     *
     * @param standing number of connections that stand, by kind
     * @param troubles why a connection does not stand, by kind; empty = all is well, or nothing has connected yet
     */
    public record Report(Map<String, Integer> standing, Map<String, String> troubles) {}

    private record Opened(long number, WatchedConnection connection) {}

    private record Failed(long number, String cause) {}
}
