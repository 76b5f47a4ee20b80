package io.ringtable.broker.dispatch;

import io.ringtable.broker.work.Mailbox;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes of messages that consumers hold unsettled, on their way to them or taken, and of those that are kept for browsers. While
 * all together hold more than the bound, each connection holds an equal share of it: who takes much and settles nothing waits, and the
 * others go on.
 * <p>
 * A part that was full has room again when it has fallen to half of its share, and all do when the sum has fallen to three quarters
 * of the bound: so that whoever waits is not woken for every message.
 * <p>
 * Thread: dispatcher; bytes are given back on any, without a lock.
 */
final class UnsettledBytes {
    private final long max;
    private final Executor dispatcher;
    private final AtomicLong all = new AtomicLong();
    private final Map<Mailbox, Part> parts = new IdentityHashMap<>();
    private volatile int connections; // written by dispatcher
    /** Set by the dispatcher when the sum passes the bound, taken back by whoever takes the sum far enough below. */
    private volatile boolean scarce;

    /** @param dispatcher runs on the dispatcher's thread */
    UnsettledBytes(long max, Executor dispatcher) {
        this.max = max;
        this.dispatcher = dispatcher;
    }

    /** What a connection's consumers hold. */
    final class Part {
        private final AtomicLong bytes = new AtomicLong();
        private final List<Runnable> consumers = new ArrayList<>();
        private volatile boolean full;

        /** Whether one more message may be delivered. Thread: dispatcher. */
        boolean hasRoom() {
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

        void take(long more) {
            bytes.addAndGet(more);
            if (all.addAndGet(more) > max) {
                scarce = true;
            }
        }

        /** Thread: any. */
        void give(long less) {
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
        for (Part part : parts.values()) {
            if (part.full && part.isRelieved()) {
                part.relieve();
            }
        }
    }

    /**
     * A consumer begins.
     *
     * @param roomAgain told where it may have found no room and finds some now
     * @return the part of its connection
     */
    Part enter(Mailbox connection, Runnable roomAgain) {
        Part part = parts.computeIfAbsent(connection, known -> new Part());
        part.consumers.add(roomAgain);
        connections = parts.size();
        return part;
    }

    /** A consumer has ended, and given back what it held. */
    void leave(Mailbox connection, Runnable roomAgain) {
        Part part = parts.get(connection);
        part.consumers.remove(roomAgain);
        if (part.consumers.isEmpty()) {
            parts.remove(connection);
            connections = parts.size();
            relieveAll(); // the others' shares have grown
        }
    }

    /** All that is held. Thread: any. */
    long all() {
        return all.get();
    }
}
