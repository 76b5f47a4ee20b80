package io.ringtable.broker.dispatch.owed;

import java.util.HashMap;
import java.util.Map;

/**
 * Remembers what the store's row of a message lacks: its failures, the end of its rest, and whether it may have been
 * delivered before.
 * <p>
 * Thread: dispatcher.
 */
final class DeliveryHistory {
    private final Map<Long, Failed> failed = new HashMap<>(); // by sequence, of messages that are not in memory
    private long redeliveredUpTo = -1; // what is read back up to here may have been delivered before

    private record Failed(int count, long notBefore) {}

    /**
     * Keeps the history of a message that leaves memory.
     *
     * @param notBefore ms since the epoch; 0 = it does not rest
     */
    void keep(Ready ready, long notBefore) {
        if (ready.failures() > 0) {
            failed(ready.sequence(), ready.failures(), notBefore);
        }
        if (ready.redelivered()) {
            redeliveredUpTo = Math.max(redeliveredUpTo, ready.sequence());
        }
    }

    void failed(long sequence, int count, long notBefore) {
        failed.put(sequence, new Failed(count, notBefore));
    }

    void redeliveredUpTo(long sequence) {
        redeliveredUpTo = sequence;
    }

    /** Returns until when the message rests, in ms since the epoch; 0 = it does not. */
    long notBefore(long sequence) {
        Failed its = failed.isEmpty() ? null : failed.get(sequence);
        return its == null ? 0 : its.notBefore;
    }

    /** Returns how often the delivery of a message failed that is not in memory. */
    int failures(long sequence) {
        Failed its = failed.get(sequence);
        return its == null ? 0 : its.count;
    }

    /**
     * Returns the message as it was when it left memory.
     *
     * @param row as it comes from the store
     */
    Ready backInMemory(Ready row) {
        Failed its = forget(row.sequence());
        return new Ready(
                row.message(),
                row.sequence(),
                row.group(),
                row.pending(),
                its == null ? 0 : its.count,
                its != null || row.sequence() <= redeliveredUpTo,
                null);
    }

    /** Forgets a message that is over. */
    Failed forget(long sequence) {
        return failed.isEmpty() ? null : failed.remove(sequence);
    }
}
