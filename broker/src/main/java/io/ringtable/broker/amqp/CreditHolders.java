package io.ringtable.broker.amqp;

import io.ringtable.broker.catalog.Address;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

/**
 * Which links publish to an address, so that one that waits for places can ask those for theirs that do not use it: credit is
 * places, and on a nearly full address the idle must not keep them from the busy.
 * <p>
 * Thread: any.
 */
final class CreditHolders {
    /** Credit that was not used for so long is given back when somebody asks. */
    static final int IDLE_MS = 100;

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

    /**
     * Asks every other link of the address to give back what it does not use, again and again as long as the link waits.
     * Thread: the asking link's event loop.
     */
    void askBackWhile(BooleanSupplier waits, Address address, PublisherLink asking) {
        if (waits.getAsBoolean() && !asking.isEnded()) {
            askBack(address, asking);
            asking.connection().mailbox().later(() -> askBackWhile(waits, address, asking), IDLE_MS);
        }
    }

    private void askBack(Address address, PublisherLink asking) {
        Set<IncomingLink> all = links.get(address);
        if (all != null) {
            for (IncomingLink link : all) {
                if (link != asking) {
                    link.connection().mailbox().post(link::giveBackIdle);
                }
            }
        }
    }
}
