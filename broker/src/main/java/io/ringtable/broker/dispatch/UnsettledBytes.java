package io.ringtable.broker.dispatch;

import io.ringtable.broker.commit.Mailbox;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * The bytes of messages that consumers hold unsettled, on their way to them or taken. While all together hold more than the bound,
 * each connection holds an equal share of it: who takes much and settles nothing waits, and the others go on.
 * <p>
 * A part that was full has room again when it has fallen to half of its share, and all do when the sum has fallen to three quarters
 * of the bound: so that whoever waits is not woken for every message.
 * <p>
 * Thread: dispatcher; bytes are given back on any.
 */
final class UnsettledBytes {
    private final long max;
    private final Consumer<CreditWindow> wake;
    private final AtomicLong all = new AtomicLong();
    private final Map<Mailbox, Part> parts = new IdentityHashMap<>();
    private volatile int connections; // written by dispatcher
    private volatile boolean scarce;

    /** @param wake is told on any thread of a window that found no room and may find some now */
    UnsettledBytes(long max, Consumer<CreditWindow> wake) {
        this.max = max;
        this.wake = wake;
    }

    /** What a connection's consumers hold. */
    final class Part {
        private final AtomicLong bytes = new AtomicLong();
        private final List<CreditWindow> windows = new ArrayList<>();
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

        void take(int more) {
            bytes.addAndGet(more);
            if (all.addAndGet(more) > max) {
                scarce = true;
            }
        }

        /** Thread: any. */
        void give(int less) {
            bytes.addAndGet(-less);
            long left = all.addAndGet(-less);
            if (scarce && left < max / 4 * 3) {
                scarce = false;
                connectionsHaveRoom();
            } else if (full && isRelieved()) {
                relieve();
            }
        }

        private boolean isRelieved() {
            return !scarce || bytes.get() <= share() / 2;
        }

        private void relieve() {
            full = false;
            synchronized (windows) {
                windows.forEach(wake);
            }
        }
    }

    private long share() {
        return max / Math.max(1, connections);
    }

    private void connectionsHaveRoom() {
        List<Part> known;
        synchronized (parts) {
            known = List.copyOf(parts.values());
        }
        for (Part part : known) {
            if (part.full) {
                part.relieve();
            }
        }
    }

    /** A consumer begins. @return the part of its connection */
    Part enter(Mailbox connection, CreditWindow window) {
        Part part;
        synchronized (parts) {
            part = parts.computeIfAbsent(connection, known -> new Part());
            connections = parts.size();
        }
        synchronized (part.windows) {
            part.windows.add(window);
        }
        return part;
    }

    /** A consumer has ended, and given back what it held. */
    void leave(Mailbox connection, CreditWindow window) {
        synchronized (parts) {
            Part part = parts.get(connection);
            synchronized (part.windows) {
                part.windows.remove(window);
                if (part.windows.isEmpty()) {
                    parts.remove(connection);
                    connections = parts.size();
                }
            }
        }
    }

    /** All that is held. Thread: any. */
    long all() {
        return all.get();
    }
}
