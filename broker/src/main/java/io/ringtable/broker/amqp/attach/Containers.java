package io.ringtable.broker.amqp.attach;

import java.util.concurrent.ConcurrentHashMap;

/**
 * Records which container ids are connected, and which user holds each. Link names are unique for a container. Another
 * user with the same container id could therefore steal links, and end addresses that live as long as they do. The
 * broker refuses a client that asks to be the only one of its id while another is connected. Clients of one user that
 * do not ask may share an id. Every client may have an empty id.
 * <p>
 * Thread: any.
 */
public final class Containers {
    /** Tells what came of {@link #enter}. A client that has entered must leave. */
    public enum Entry {
        ENTERED,
        /** Means that the client asks to be the only one and is not. */
        IN_USE,
        /** Means that another user is connected under that id. */
        OF_ANOTHER_USER
    }

    private record Holder(String user, int connections) {}

    private final ConcurrentHashMap<String, Holder> holders = new ConcurrentHashMap<>();

    public Entry enter(String container, String user, boolean sole) {
        Entry[] entry = {Entry.ENTERED};
        holders.compute(container, (id, holder) -> {
            if (holder == null) {
                return new Holder(user, 1);
            }
            if (!id.isEmpty() && !holder.user().equals(user)) {
                entry[0] = Entry.OF_ANOTHER_USER;
                return holder;
            }
            if (sole) {
                entry[0] = Entry.IN_USE;
                return holder;
            }
            return new Holder(holder.user(), holder.connections() + 1);
        });
        return entry[0];
    }

    public void leave(String container) {
        holders.computeIfPresent(
                container,
                (id, holder) -> holder.connections() == 1 ? null : new Holder(holder.user(), holder.connections() - 1));
    }
}
