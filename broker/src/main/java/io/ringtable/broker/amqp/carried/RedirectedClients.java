package io.ringtable.broker.amqp.carried;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Remembers which clients this node has sent to other nodes a moment ago. One that comes back so soon has not found its
 * node, or knows a way of its own through a list of nodes. That client stays, so no client goes in circles.
 * <p>
 * Thread: any.
 */
public final class RedirectedClients {
    private static final long REMEMBERED_NS = TimeUnit.SECONDS.toNanos(10);
    /** Bounds the names that are kept; a client beyond that is not sent. */
    private static final int MOST = 4_096;

    private final ConcurrentHashMap<String, Long> sentAt = new ConcurrentHashMap<>(); // by container id; nanoTime

    /** Makes an empty memory. */
    public RedirectedClients() {}

    /** Notes that a client is sent. @return false if it must stay: it was sent just now, or has no container id */
    boolean send(String container) {
        if (container == null || container.isEmpty()) {
            return false;
        }
        long now = System.nanoTime();
        if (sentAt.size() >= MOST) {
            sentAt.values().removeIf(at -> now - at >= REMEMBERED_NS);
        }
        Long before = sentAt.get(container);
        boolean goes = before == null ? sentAt.size() < MOST : now - before >= REMEMBERED_NS;
        if (goes) {
            sentAt.put(container, now);
        }
        return goes;
    }
}
