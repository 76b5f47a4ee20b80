package io.ringtable.broker.amqp.publish;

import io.ringtable.broker.amqp.link.ConnectionMailbox;
import io.ringtable.broker.message.Address;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Records which links publish to an address, so that a link that waits for places can ask idle links for theirs. Credit
 * is places, and on a nearly full address idle links must not keep them from busy ones. One round at a time asks a
 * bounded number of links, for all that wait.
 * <p>
 * Thread: any.
 */
public final class CreditHolders {
    /** Sets how long credit must be unused before a link gives it back to a round. */
    static final int IDLE_MS = 100;

    /**
     * The credit of all links of a topic together, in equal shares. Volatile subscriptions have no store to fall back
     * to, so transfers that are on their way while these hold the publishers wait in memory.
     */
    private static final int TOPIC_CREDIT = 20_000;

    private static final int ASKED_MAX = 256;
    private static final int LOOKED_AT_MAX = 4_096;

    /** Publishes to an address. */
    interface Holder {
        /** Asks for idle credit back, since another link waits for a place in the address. Thread: any. */
        void askForIdleCredit();
    }

    /** Holds the links that publish to one address, and the links and transfers that wait for a place in it. */
    public static final class Publishers {
        private final Address address;
        private final Set<Holder> links = ConcurrentHashMap.newKeySet();
        private final Map<Object, ConnectionMailbox> waiting = new ConcurrentHashMap<>(); // by waiter
        private final AtomicBoolean asks = new AtomicBoolean(); // a round is on its way
        private Iterator<Holder> next; // of the round that is on its way
        private volatile int count; // of links; written within the map's lock

        private Publishers(Address address) {
            this.address = address;
        }

        /** Returns how much credit each of the links may have if the address is a topic; at least 1. */
        int topicShare() {
            return Math.max(1, TOPIC_CREDIT / Math.max(1, count));
        }

        private boolean isOver() {
            return links.isEmpty() && waiting.isEmpty();
        }

        private void round() {
            // While subscriptions in memory hold the address, nobody can use a place that a link gives back.
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
                Holder link = next.next();
                if (!waiting.containsKey(link)) {
                    link.askForIdleCredit();
                    asked++;
                }
            }
        }
    }

    private final ConcurrentHashMap<Address, Publishers> publishers = new ConcurrentHashMap<>();

    Publishers add(Address address, Holder link) {
        return publishers.compute(address, (key, present) -> {
            Publishers all = present == null ? new Publishers(key) : present;
            all.links.add(link);
            all.count = all.links.size();
            return all;
        });
    }

    void remove(Address address, Holder link) {
        publishers.computeIfPresent(address, (key, present) -> {
            present.links.remove(link);
            present.count = present.links.size();
            return present.isOver() ? null : present;
        });
    }

    /**
     * Asks every link of the address to give back what it does not use, again and again until {@link #waitsNoMore}.
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
