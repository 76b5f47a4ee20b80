package io.ringtable.broker.dispatch.memory;

import io.ringtable.broker.work.Mailbox;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the bytes of messages that consumers hold unsettled, and of those kept for browsers. While all together exceed
 * {@code max}, each connection may hold an equal share of it. So a connection that settles nothing waits, and the
 * others go on.
 * <p>
 * A connection that was full has room again when it has fallen to half of its share. All have room when the sum has
 * fallen to three quarters of {@code max}. So no connection is woken for every message.
 * <p>
 * Thread: dispatcher; any thread gives bytes back, without a lock.
 */
public final class UnsettledBytes {
    private final long max;
    private final Executor dispatcher;
    /** Counts all. The dispatcher raises it; the thread that decides what becomes of a delivery lowers it. */
    private final AtomicLong all = new AtomicLong();

    private final Map<Mailbox, ConnectionBytes> byConnection = new IdentityHashMap<>();
    private volatile int connections; // written by dispatcher
    /**
     * Tells that the sum has passed {@code max}. The dispatcher sets it; the thread that takes the sum far enough below
     * clears it.
     */
    private volatile boolean scarce;

    /** @param dispatcher runs on the dispatcher's thread */
    public UnsettledBytes(long max, Executor dispatcher) {
        this.max = max;
        this.dispatcher = dispatcher;
    }

    /** Counts what the consumers of one connection hold. */
    public final class ConnectionBytes {
        /** Counts all. The dispatcher raises it; the thread that decides what becomes of a delivery lowers it. */
        private final AtomicLong bytes = new AtomicLong();

        private final List<Runnable> consumers = new ArrayList<>();
        /**
         * Tells that the connection has no room. The dispatcher sets it and then looks at the bytes again; the thread
         * that finds them low enough clears it.
         */
        private volatile boolean full;

        /** Returns whether one more message may be delivered. Thread: dispatcher. */
        public boolean hasRoom() {
            if (!scarce) {
                return true;
            }
            if (bytes.get() >= share()) {
                full = true;
                if (isRelieved()) { // another thread gave bytes back meanwhile, and did not see the mark
                    full = false;
                }
            }
            return !full;
        }

        public void take(long more) {
            bytes.addAndGet(more);
            if (all.addAndGet(more) > max) {
                scarce = true;
            }
        }

        /** Gives bytes back. Thread: any. */
        public void give(long less) {
            bytes.addAndGet(-less);
            long left = all.addAndGet(-less);
            if (scarce && left < max / 4 * 3) {
                scarce = false;
                dispatcher.execute(UnsettledBytes.this::relieveAll);
            } else if (full && isRelieved()) {
                full = false;
                dispatcher.execute(this::relieve);
            }
        }

        private boolean isRelieved() {
            return !scarce || bytes.get() <= share() / 2;
        }

        private void relieve() {
            full = false;
            consumers.forEach(Runnable::run);
        }
    }

    private long share() {
        return max / Math.max(1, connections);
    }

    private void relieveAll() {
        for (ConnectionBytes its : byConnection.values()) {
            if (its.full && its.isRelieved()) {
                its.relieve();
            }
        }
    }

    /**
     * Adds a consumer.
     *
     * @param roomAgain told when there is room that the consumer may have missed before
     * @return the bytes of its connection
     */
    public ConnectionBytes enter(Mailbox connection, Runnable roomAgain) {
        ConnectionBytes its = byConnection.computeIfAbsent(connection, known -> new ConnectionBytes());
        its.consumers.add(roomAgain);
        connections = byConnection.size();
        return its;
    }

    /** Removes a consumer, which has given back what it held. */
    public void leave(Mailbox connection, Runnable roomAgain) {
        ConnectionBytes its = byConnection.get(connection);
        its.consumers.remove(roomAgain);
        if (its.consumers.isEmpty()) {
            byConnection.remove(connection);
            connections = byConnection.size();
            relieveAll(); // the others' shares have grown
        }
    }

    /** Returns the bytes that all consumers hold. Thread: any. */
    public long all() {
        return all.get();
    }
}
