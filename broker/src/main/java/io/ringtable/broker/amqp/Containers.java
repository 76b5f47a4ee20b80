package io.ringtable.broker.amqp;

import java.util.concurrent.ConcurrentHashMap;

/**
 * Which container ids are connected. A client that desires to be the only one of its id is refused while another is
 * connected; clients that do not care share one.
 * <p>
 * Thread: any.
 */
final class Containers {
    private final ConcurrentHashMap<String, Integer> connections = new ConcurrentHashMap<>();

    /** False if it wants to be the only one and is not. Whoever enters leaves. */
    boolean enter(String container, boolean sole) {
        String id = container == null ? "" : container;
        boolean[] entered = {true};
        connections.compute(id, (key, count) -> {
            if (sole && count != null) {
                entered[0] = false;
                return count;
            }
            return count == null ? 1 : count + 1;
        });
        return entered[0];
    }

    void leave(String container) {
        String id = container == null ? "" : container;
        connections.computeIfPresent(id, (key, count) -> count == 1 ? null : count - 1);
    }
}
