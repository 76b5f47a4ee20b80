package io.ringtable.client.internal.receive;

import io.ringtable.client.RingtableException;
import io.ringtable.client.internal.error.Errors;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Keeps messages that have arrived and wait for the application. The I/O thread adds all that came with one read of the
 * socket together; the application's threads take. Credit bounds the buffer.
 */
final class DeliveryBuffer {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final ArrayDeque<Delivered> waiting = new ArrayDeque<>();
    private boolean stopped;
    private RingtableException end;
    // Written under the lock; read without it, as a guess whether the application has run dry.
    private volatile boolean empty = true;

    /** @return false if the buffer is stopped */
    boolean add(List<Delivered> messages) {
        lock.lock();
        try {
            if (stopped) {
                return false;
            }
            waiting.addAll(messages);
            empty = false;
            if (messages.size() == 1) {
                arrived.signal();
            } else {
                arrived.signalAll();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for messages.
     *
     * @return how many were put into the array; 0 = no more will come
     */
    int take(Delivered[] into, int atMost) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (waiting.isEmpty()) {
                if (stopped) {
                    return 0;
                }
                arrived.await();
            }
            int count = Math.min(atMost, waiting.size());
            for (int i = 0; i < count; i++) {
                into[i] = waiting.pollFirst();
            }
            empty = waiting.isEmpty();
            return count;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for one message.
     *
     * @return null after the time-out
     * @throws RingtableException why no more will come
     */
    Delivered poll(long timeoutNanos) throws InterruptedException {
        long left = timeoutNanos;
        lock.lockInterruptibly();
        try {
            while (waiting.isEmpty()) {
                if (stopped) {
                    throw Errors.forCaller(end);
                }
                if (left <= 0) {
                    return null;
                }
                left = arrived.awaitNanos(left);
            }
            Delivered next = waiting.pollFirst();
            empty = waiting.isEmpty();
            return next;
        } finally {
            lock.unlock();
        }
    }

    boolean isEmpty() {
        return empty;
    }

    /** Drops what waits, as the connection is lost and its messages come again. */
    void clear() {
        lock.lock();
        try {
            waiting.clear();
            empty = true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Stops the buffer: the application gets nothing more from it.
     *
     * @return what still waited
     */
    List<Delivered> stop(RingtableException cause) {
        lock.lock();
        try {
            if (!stopped) {
                stopped = true;
                end = cause;
            }
            List<Delivered> rest = new ArrayList<>(waiting);
            waiting.clear();
            empty = true;
            arrived.signalAll();
            return rest;
        } finally {
            lock.unlock();
        }
    }

    boolean isStopped() {
        lock.lock();
        try {
            return stopped;
        } finally {
            lock.unlock();
        }
    }
}
