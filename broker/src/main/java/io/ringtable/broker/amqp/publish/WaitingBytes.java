package io.ringtable.broker.amqp.publish;

import java.util.concurrent.atomic.AtomicLong;

/** Bounds the bytes of all transfers that wait for room in full addresses, since thousands of links may wait. Thread: any. */
public final class WaitingBytes {
    private final long max;
    private final AtomicLong bytes = new AtomicLong();

    /** @param max bytes of all links together */
    public WaitingBytes(long max) {
        this.max = max;
    }

    /** @return false if there is no room for so many bytes: none are taken */
    boolean tryTake(int more) {
        if (bytes.addAndGet(more) > max) {
            bytes.addAndGet(-more);
            return false;
        }
        return true;
    }

    void give(int fewer) {
        bytes.addAndGet(-fewer);
    }
}
