package io.ringtable.broker.inbox;

import io.ringtable.broker.catalog.CatalogLookup;
import io.ringtable.broker.message.Address;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Lists the addresses whose messages stay in the inbox for now: at their quota, or with something that has to be tried
 * again later.
 * <p>
 * Thread: inbox-collector.
 */
final class SkippedAddresses {

    /**
     * @param address null if it waits for the time alone
     * @param bytes that it must have room for
     */
    private record Wait(Address address, long bytes, long untilNanos) {
        boolean isOver(CatalogLookup catalog, long now) {
            if (address == null) {
                return now - untilNanos >= 0;
            }
            return address.quota().hasRoomFor(1, bytes)
                    || address.quota().isClosed() // it moves: there is room in its next home
                    || !address.equals(catalog.find(address.name()));
        }
    }

    private final CatalogLookup catalog;
    private final Map<String, Wait> waits = new HashMap<>();

    SkippedAddresses(CatalogLookup catalog) {
        this.catalog = catalog;
    }

    /** @param full where they go: the address of that name, or the dead-letter queue */
    void full(String name, Address full, long bytes) {
        waits.put(name, new Wait(full, bytes, 0));
    }

    void until(String name, long nanos) {
        waits.put(name, new Wait(null, 0, nanos));
    }

    void release(String name) {
        waits.remove(name);
    }

    boolean contains(String name) {
        return waits.containsKey(name);
    }

    /** Returns the addresses that are still to be left out. */
    Set<String> names(long now) {
        waits.entrySet().removeIf(each -> each.getValue().isOver(catalog, now));
        return waits.keySet();
    }
}
