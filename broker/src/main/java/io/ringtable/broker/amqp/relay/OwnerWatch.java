package io.ringtable.broker.amqp.relay;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Finds out that the node behind a relay stands still while another one serves its shard. A look at the database shows
 * the other owner. The links of the shard then stop, and the node is asked for a sign of life. One that lives ends
 * these links itself, in a handover too. One that says nothing until the next look is lost (ADR 76).
 * <p>
 * Thread: the relay's event loop.
 */
final class OwnerWatch {
    private static final int SHARE_OF_LEASE = 10; // which an answer may take at least; looks have a fifth between them

    /**
     * Says who owns the shards, as a look at the database had it.
     *
     * @param nodes ids by shard, of owners whose leases ran
     * @param askedAt when the look began, by System.nanoTime()
     */
    record Look(Map<Integer, String> nodes, long askedAt) {
        /** Tells whether a node was seen to own the shard, and not the one that is named. */
        private boolean hasAnother(int shard, String node) {
            return !node.equals(nodes.getOrDefault(shard, node));
        }
    }

    /** Says since when a link is attached at its owner, and whether another owner has been seen since. */
    static final class Tenant {
        private long since; // by System.nanoTime(); 0 = it is not attached
        private boolean isReplaced;

        /** Begins to count: the owner has answered the attach, so it owned the shard until now. */
        void attached() {
            since = System.nanoTime() | 1; // never 0
            isReplaced = false;
        }

        /** Tells whether nothing more may be sent to the owner: it has another one after it. */
        boolean isReplaced() {
            return isReplaced;
        }

        /** Hears that the owner serves the link in another shard, which it has still. */
        void stays() {
            isReplaced = false;
        }

        /** Hears of another owner. A look that began before the attach shows an earlier one. */
        void replaced(Look look) {
            isReplaced |= since != 0 && look.askedAt - since > 0;
        }
    }

    private final Relay relay;
    private final long patienceNanos;
    private final Set<Integer> shards = new HashSet<>(); // of links over the relay; some may have no link any more
    private boolean isAsked; // the other node, for a sign of life
    private long askedAt;

    OwnerWatch(Relay relay, long leaseMs) {
        this.relay = relay;
        this.patienceNanos = TimeUnit.MILLISECONDS.toNanos(leaseMs) / SHARE_OF_LEASE;
    }

    /** Hears that a link of the shard is about to be attached over the relay. */
    void uses(int shard) {
        shards.add(shard);
    }

    /** Hears that the other node has said something. */
    void heard() {
        isAsked = false;
    }

    /** Hears of a look. */
    void looked(Look look) {
        Set<Integer> others = new HashSet<>(shards);
        others.removeIf(shard -> !look.hasAnother(shard, relay.node().node()));
        others.removeIf(shard -> {
            boolean isUnused = !relay.replaced(shard, look);
            if (isUnused) {
                shards.remove(shard);
            }
            return isUnused;
        });
        if (others.isEmpty()) {
            isAsked = false;
        } else if (!isAsked) {
            isAsked = true;
            askedAt = System.nanoTime();
            relay.askForSign();
        } else if (look.askedAt - askedAt > patienceNanos) {
            relay.lost("it says nothing while another node owns shard "
                    + others.iterator().next());
        }
    }
}
