package io.ringtable.broker.amqp.numbering;

import io.ringtable.broker.catalog.Producer;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * Names the producers of the links that one event loop passes on, so that no two links have one at a time. A link gets
 * the lowest free place among those to its address. So an address has as many producers as links were attached at once.
 * Links that clients make one after another share one. A restarted node finds the producers of its last run.
 * <p>
 * Thread: the event loop.
 */
public final class RelayProducers {
    /**
     * How long a place rests whose link has ended without all outcomes. The committer may still have its transfers.
     * While that is so, the owner refuses the producer to other links, and these have none.
     */
    private static final int REST_MS = 1_000;

    /** Does something later. Thread: the event loop. */
    public interface Timer {
        void later(Runnable action, long delayMs);
    }

    private final String prefix;
    private final Timer timer;
    private final Map<String, BitSet> taken = new HashMap<>(); // places, by address

    /**
     * Makes names for one event loop.
     *
     * @param node id of this node
     * @param loop number of the event loop in this node
     */
    public RelayProducers(String node, int loop, Timer timer) {
        this.prefix = Producer.RELAY_PREFIX + node + ":" + loop + ":";
        this.timer = timer;
    }

    /** Takes a place among the links to an address, which must be given back. */
    public Place take(String address) {
        BitSet ofAddress = taken.computeIfAbsent(address, key -> new BitSet());
        int number = ofAddress.nextClearBit(0);
        ofAddress.set(number);
        return new Place(address, number);
    }

    /** Returns how many places are taken, or rest. */
    int size() {
        return taken.values().stream().mapToInt(BitSet::cardinality).sum();
    }

    /** Is the place of one link. */
    public final class Place {
        private final String address;
        private final int number;
        private boolean over;

        private Place(String address, int number) {
            this.address = address;
            this.number = number;
        }

        /** Returns the name of the link's producer at the address. */
        public String producer() {
            return prefix + number;
        }

        /** Gives the place back, once. @param isClean whether every transfer of the link has its outcome */
        public void giveBack(boolean isClean) {
            if (over) {
                return;
            }
            over = true;
            if (isClean) {
                free();
            } else {
                timer.later(this::free, REST_MS);
            }
        }

        private void free() {
            BitSet ofAddress = taken.get(address);
            ofAddress.clear(number);
            if (ofAddress.isEmpty()) {
                taken.remove(address);
            }
        }
    }
}
