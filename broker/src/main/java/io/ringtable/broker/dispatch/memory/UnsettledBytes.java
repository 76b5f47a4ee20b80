package io.ringtable.broker.dispatch.memory;

import io.ringtable.broker.work.Mailbox;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the bytes of messages that consumers hold unsettled, on their way to them or taken, and of those that are kept
 * for browsers. While all together hold more than {@code max}, each connection holds an equal share of it: who takes
 * much and settles nothing waits, and the others go on.
 * <p>
 * A connection that was full has room again when it has fallen to half of its share. All have room when the sum has
 * fallen to three quarters of {@code max}. So whoever waits is not woken for every message.
 * <p>
 * Thread: dispatcher; bytes are given back on any, without a lock.
 */
public final class UnsettledBytes {
    private final long max;
    private final Executor dispatcher;
    /** Raised by the dispatcher; lowered by whoever decides what becomes of a delivery. */
    private final AtomicLong all = new AtomicLong();

    private final Map<Mailbox, ConnectionBytes> byConnection = new IdentityHashMap<>();
    private volatile int connections; // written by dispatcher
    /** Set by the dispatcher when the sum passes {@code max}, taken back by whoever takes the sum far enough below. */
    private volatile boolean scarce;

    /** @param dispatcher runs on the dispatcher's thread */
    public UnsettledBytes(long max, Executor dispatcher) {
        this.max = max;
        this.dispatcher = dispatcher;
    }

    /** What a connection's consumers hold. */
    public final class ConnectionBytes {
        /** Raised by the dispatcher; lowered by whoever decides what becomes of a delivery. */
        private final AtomicLong bytes = new AtomicLong();

        private final List<Runnable> consumers = new ArrayList<>();
        /** Set by the dispatcher, which then looks at the bytes again; taken back by whoever finds them low enough. */
        private volatile boolean full;

        /** Whether one more message may be delivered. Thread: dispatcher. */
        public boolean hasRoom() {
            if (!scarce) {
                return true;
            }
            if (bytes.get() >= share()) {
                full = true;
                if (isRelieved()) { // it was given back meanwhile, by somebody who did not see the mark
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

        /** Thread: any. */
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
     * A consumer begins.
     *
     * @param roomAgain told where it may have found no room and finds some now
     * @return the bytes of its connection
     */
    public ConnectionBytes enter(Mailbox connection, Runnable roomAgain) {
        ConnectionBytes its = byConnection.computeIfAbsent(connection, known -> new ConnectionBytes());
        its.consumers.add(roomAgain);
        connections = byConnection.size();
        return its;
    }

    /** A consumer has ended, and given back what it held. */
    public void leave(Mailbox connection, Runnable roomAgain) {
        ConnectionBytes its = byConnection.get(connection);
        its.consumers.remove(roomAgain);
        if (its.consumers.isEmpty()) {
            byConnection.remove(connection);
            connections = byConnection.size();
            relieveAll(); // the others' shares have grown
        }
    }

    /** All that is held. Thread: any. */
    public long all() {
        return all.get();
    }
}
