package io.ringtable.broker.amqp;

import io.ringtable.broker.catalog.Address;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which links publish to an address, so that one without credit can ask those for theirs that do not use it: credit is
 * places, and on a nearly full address the idle must not keep them from the busy.
 * <p>
 * Thread: any.
 */
final class CreditHolders {
    private final ConcurrentHashMap<Address, Set<IncomingLink>> links = new ConcurrentHashMap<>();

    void add(Address address, IncomingLink link) {
        links.compute(address, (key, present) -> {
            Set<IncomingLink> all = present == null ? ConcurrentHashMap.newKeySet() : present;
            all.add(link);
            return all;
        });
    }

    void remove(Address address, IncomingLink link) {
        links.computeIfPresent(address, (key, present) -> {
            present.remove(link);
            return present.isEmpty() ? null : present;
        });
    }

    /** Asks every other link of the address to give back what it does not use. */
    void askBack(Address address, IncomingLink asking) {
        Set<IncomingLink> all = links.get(address);
        if (all != null) {
            for (IncomingLink link : all) {
                if (link != asking) {
                    link.connection().post(link::giveBackIdle);
                }
            }
        }
    }
}
