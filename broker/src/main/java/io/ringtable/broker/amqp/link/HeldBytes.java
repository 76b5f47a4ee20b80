package io.ringtable.broker.amqp.link;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Sums the bytes of messages that all connections hold, and those of each user. While a sum is over its bound, each of
 * its connections may hold only an equal share of the bound. Connections that hold little therefore go on. Transfers on
 * their way may still come. Once all connections exceed their bound by half, those with more than a share must close.
 * <p>
 * Thread: any.
 */
public final class HeldBytes {
    /** Sums up the connections of one user, or all connections. */
    private static final class Sum {
        private final AtomicLong bytes = new AtomicLong();
        private final AtomicInteger connections = new AtomicInteger();

        long share(long max) {
            return bytes.get() <= max ? Long.MAX_VALUE : equal(max);
        }

        long equal(long max) {
            return max / Math.max(1, connections.get());
        }

        boolean isTooMuch(long held, long max) {
            return bytes.get() > max + max / 2 && held > equal(max);
        }
    }

    private final long max;
    private final LongAdder counter;
    private final Sum all = new Sum();
    private final ConcurrentHashMap<String, Sum> users = new ConcurrentHashMap<>();

    /**
     * Makes empty sums.
     *
     * @param max bytes of all connections; those of one user may hold half of it
     * @param counter has the bytes of all connections, for metrics
     */
    public HeldBytes(long max, LongAdder counter) {
        this.max = max;
        this.counter = counter;
    }

    /** Begins to count a connection of a user. @return its part; the connection leaves it at its end */
    public Part enter(String user) {
        all.connections.incrementAndGet();
        Sum ofUser = users.compute(user, (name, known) -> {
            Sum sum = known == null ? new Sum() : known;
            sum.connections.incrementAndGet();
            return sum;
        });
        return new Part(user, ofUser);
    }

    /** Holds what one connection has told. Thread: its event loop. */
    public final class Part {
        /** Sets the steps in which a connection tells its bytes, so that most messages cost one comparison. */
        private static final long STEP = 64 * 1024;

        private final String user;
        private final Sum ofUser;
        private long told;

        private Part(String user, Sum ofUser) {
            this.user = user;
            this.ofUser = ofUser;
        }

        /** Tells the bytes if they have changed by a step. @param now all that the connection holds, in bytes */
        void holds(long now) {
            if (Math.abs(now - told) >= STEP) {
                tell(now);
            }
        }

        private void tell(long now) {
            all.bytes.addAndGet(now - told);
            counter.add(now - told);
            ofUser.bytes.addAndGet(now - told);
            told = now;
        }

        /** Returns what the connection may hold; {@link Long#MAX_VALUE} while the sums are within their bounds. */
        long share() {
            return Math.min(all.share(max), ofUser.share(max / 2));
        }

        /** Tells whether the connection must close for what it holds. */
        boolean isTooMuch(long held) {
            return all.isTooMuch(held, max);
        }

        /** Takes the connection out of the sums: it has ended. */
        void leave() {
            tell(0);
            all.connections.decrementAndGet();
            users.computeIfPresent(user, (name, sum) -> sum.connections.decrementAndGet() == 0 ? null : sum);
        }
    }
}
