package io.ringtable.client.internal.publish;

import io.ringtable.client.InFlightLimit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Bounds the messages that a publisher has in flight: handed in and not yet answered. Publishing threads enter message
 * by message; the I/O thread leaves for whole transfers at once.
 * <p>
 * Invariant: {@code messages <= limit.messages}, and {@code bytes <= limit.bytes} unless one message alone is larger.
 */
final class InFlightMessages {

    private final InFlightLimit limit;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();
    private int messages;
    private long bytes;
    private int waiting;
    private boolean shut;

    InFlightMessages(InFlightLimit limit) {
        this.limit = limit;
    }

    /**
     * Waits for room; newcomers stand behind the threads that wait already.
     *
     * @return false if there was none in time, or nothing is let in any more
     */
    boolean enter(int size, long timeoutNanos) throws InterruptedException {
        lock.lock();
        try {
            boolean mustWait = waiting > 0 && timeoutNanos > 0 || !fits(size);
            if (shut || mustWait && !await(size, timeoutNanos)) {
                return false;
            }
            messages++;
            bytes += size;
            return true;
        } finally {
            lock.unlock();
        }
    }

    private boolean await(int size, long timeoutNanos) throws InterruptedException {
        waiting++;
        try {
            long left = timeoutNanos;
            while (left > 0 && !shut) {
                if (fits(size)) {
                    return true;
                }
                left = room.awaitNanos(left);
            }
            return false;
        } finally {
            waiting--;
        }
    }

    private boolean fits(int size) {
        return messages < limit.messages() && (bytes == 0 || bytes + size <= limit.bytes());
    }

    void leave(int count, long size) {
        lock.lock();
        try {
            messages -= count;
            bytes -= size;
            assert messages >= 0 && bytes >= 0 : messages + " messages, " + bytes + " bytes";
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** @return false if messages were still under way when the time was over */
    boolean awaitEmpty(long timeoutNanos) throws InterruptedException {
        long deadline = System.nanoTime() + timeoutNanos;
        lock.lock();
        try {
            while (messages > 0) {
                long left = deadline - System.nanoTime();
                if (left <= 0 || room.awaitNanos(left) <= 0 && messages > 0) {
                    return false;
                }
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Lets no message in any more; threads that wait give up. */
    void shut() {
        lock.lock();
        try {
            shut = true;
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }

    int messages() {
        lock.lock();
        try {
            return messages;
        } finally {
            lock.unlock();
        }
    }

    long bytes() {
        lock.lock();
        try {
            return bytes;
        } finally {
            lock.unlock();
        }
    }
}
