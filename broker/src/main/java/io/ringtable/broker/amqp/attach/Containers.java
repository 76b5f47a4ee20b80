package io.ringtable.broker.amqp.attach;

import java.util.concurrent.ConcurrentHashMap;

/**
 * Which container ids are connected, and whose they are meanwhile: a link's name is unique for its container, so that whoever shares a
 * container id could steal links, and end what lives as long as they do. A client that desires to be the only one of its id is refused
 * while another is connected; clients of one user that do not care share one. An empty id names nobody: every client may have it.
 * <p>
 * Thread: any.
 */
public final class Containers {
    /** What came of entering. Who has entered leaves. */
    public enum Entry {
        ENTERED,
        /** It wants to be the only one and is not. */
        IN_USE,
        /** Another user is connected under that id. */
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
