package io.ringtable.broker.amqp.link;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits the bytes of all transfers that wait for the same thing, such as room in full addresses, since thousands of
 * links may wait. Thread: any.
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

    /** Takes bytes that are there already, also where there is no room. */
    public void take(int more) {
        bytes.addAndGet(more);
    }

    public void give(int fewer) {
        bytes.addAndGet(-fewer);
    }
}
