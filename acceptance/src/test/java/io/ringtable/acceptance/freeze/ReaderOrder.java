package io.ringtable.acceptance.freeze;

import java.util.HashMap;
import java.util.Map;

/**
 * Judges the order in which a reader with one consumer at a time gets the messages of each producer.
 * <p>
 * After a client has left a node that stands still, its link stays until that node goes on. Meanwhile the queue has two
 * consumers, and the broker promises no order between them. The node may hold messages for that link. They were never
 * delivered, so they come late and unflagged, at most as many as the link has credit.
 * <p>
 * Thread: any, one at a time.
 */
final class ReaderOrder {
    private final int credit; // of each consumer; 0 = it stays at a node that stands still
    private final Map<String, Long> last = new HashMap<>(); // by producer: the highest number that has come
    private String consumer; // the last one
    private int frozenIn = Integer.MIN_VALUE; // the last event in which a node stood still
    private int leftIn; // the event in which the last consumer came
    private int held; // how many may come late since then
    private int late;

    ReaderOrder(int credit) {
        this.credit = credit;
    }

    void nodeStandsStill(int event) {
        frozenIn = event;
    }

    /** Hears who got a message, of any kind. */
    void came(String by, int event) {
        if (!by.equals(consumer)) {
            held = consumer != null && event <= frozenIn + 1 ? credit : 0;
            consumer = by;
            leftIn = event;
        }
    }

    /** Judges a message that has come for the first time. @return whether it may come now */
    boolean allows(String producer, long number, int event) {
        if (last.merge(producer, number, Math::max) == number) {
            return true;
        }
        if (held == 0 || event > leftIn + 1) {
            return false;
        }
        held--;
        late++;
        return true;
    }

    long last(String producer) {
        return last.get(producer);
    }

    /** Returns how many messages a node that stood still had held. */
    int late() {
        return late;
    }
}
