package io.ringtable.broker.amqp.publish;

import io.ringtable.broker.amqp.link.ConnectionMailbox;
import io.ringtable.broker.message.Address;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Which links publish to an address, so that one that waits for places can ask those for theirs that do not use it: credit is
 * places, and on a nearly full address the idle must not keep them from the busy. However many wait, one round at a time asks
 * on behalf of all of them, and a bounded number of links.
 * <p>
 * Thread: any.
 */
public final class CreditHolders {
    /** Credit that was not used for so long is given back when somebody asks. */
    static final int IDLE_MS = 100;

    private static final int ASKED_MAX = 256;
    private static final int LOOKED_AT_MAX = 4_096;

    /** The links that publish to one address, and those who wait for a place in it. */
    public static final class Publishers {
        private final Address address;
        private final Set<AddressTarget> links = ConcurrentHashMap.newKeySet();
        private final Map<Object, ConnectionMailbox> waiting = new ConcurrentHashMap<>(); // by who waits
        private final AtomicBoolean asks = new AtomicBoolean(); // a round is on its way
        private Iterator<AddressTarget> next; // of the round that is on its way
        private volatile int count; // of links; written within the map's lock

        private Publishers(Address address) {
            this.address = address;
        }

        /** At least 1. */
        int count() {
            return Math.max(1, count);
        }

        private boolean isOver() {
            return links.isEmpty() && waiting.isEmpty();
        }

        private void round() {
            // While its readers hold the address, a place that is given back is of no use to anybody.
            if (!address.quota().isHeld()) {
                askSome();
            }
            for (ConnectionMailbox mailbox : waiting.values()) {
                mailbox.later(this::round, IDLE_MS);
                return;
            }
            asks.set(false);
            if (!waiting.isEmpty()) {
                begin();
            }
        }

        private void begin() {
            if (asks.compareAndSet(false, true)) {
                round();
            }
        }

        private void askSome() {
            int asked = 0;
            int most = Math.min(LOOKED_AT_MAX, links.size());
            for (int i = 0; i < most && asked < ASKED_MAX; i++) {
                if (next == null || !next.hasNext()) {
                    next = links.iterator();
                    if (!next.hasNext()) {
                        return;
                    }
                }
                AddressTarget link = next.next();
                if (!waiting.containsKey(link)) {
                    link.askForIdleCredit();
                    asked++;
                }
            }
        }
    }

    private final ConcurrentHashMap<Address, Publishers> publishers = new ConcurrentHashMap<>();

    public Publishers add(Address address, AddressTarget link) {
        return publishers.compute(address, (key, present) -> {
            Publishers all = present == null ? new Publishers(key) : present;
            all.links.add(link);
            all.count = all.links.size();
            return all;
        });
    }

    public void remove(Address address, AddressTarget link) {
        publishers.computeIfPresent(address, (key, present) -> {
            present.links.remove(link);
            present.count = present.links.size();
            return present.isOver() ? null : present;
        });
    }

    /**
     * Has every link of the address asked to give back what it does not use, again and again until {@link #waitsNoMore}.
     * Thread: the event loop of {@code mailbox}.
     */
    public void waits(Object waiter, Address address, ConnectionMailbox mailbox) {
        publishers
                .compute(address, (key, present) -> {
                    Publishers all = present == null ? new Publishers(key) : present;
                    all.waiting.put(waiter, mailbox);
                    return all;
                })
                .begin();
    }

    public void waitsNoMore(Object waiter, Address address) {
        publishers.computeIfPresent(address, (key, present) -> {
            present.waiting.remove(waiter);
            return present.isOver() ? null : present;
        });
    }
}
