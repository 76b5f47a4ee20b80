package io.ringtable.broker.amqp.link;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the bytes of all transfers that wait for room in full addresses, since thousands of links may wait. Thread:
 * any.
 */
public final class WaitingBytes {
    private final long max;
    private final AtomicLong bytes = new AtomicLong();

    /** Makes an empty count. @param max bytes of all links together */
    public WaitingBytes(long max) {
        this.max = max;
    }

    /** Takes bytes. @return false if there is no room: none are taken */
    public boolean tryTake(int more) {
        if (bytes.addAndGet(more) > max) {
            bytes.addAndGet(-more);
            return false;
        }
        return true;
    }

    public void give(int fewer) {
        bytes.addAndGet(-fewer);
    }
}
