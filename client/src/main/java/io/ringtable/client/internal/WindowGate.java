package io.ringtable.client.internal;

import io.ringtable.client.PublishWindow;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Bounds what a publisher has under way. Publishing threads enter message by message; the I/O thread leaves for whole
 * transfers at once.
 * <p>
 * Invariant: {@code messages <= window.messages}, and {@code bytes <= window.bytes} unless one message alone is larger.
 */
final class WindowGate {

    private final PublishWindow window;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();
    private int messages;
    private long bytes;
    private int waiting;
    private boolean shut;

    WindowGate(PublishWindow window) {
        this.window = window;
    }

    /**
     * Waits for room; newcomers stand behind the threads that wait already.
     *
     * @return false if there was none in time, or the gate is shut
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
        return messages < window.messages() && (bytes == 0 || bytes + size <= window.bytes());
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

    static long nanos(Duration duration) {
        try {
            return duration.toNanos();
        } catch (ArithmeticException tooLong) {
            return TimeUnit.DAYS.toNanos(365L * 100);
        }
    }
}
