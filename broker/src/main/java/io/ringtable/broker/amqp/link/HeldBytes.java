package io.ringtable.broker.amqp.link;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * The bytes of messages that all connections hold, and those of each user. While a sum is over its bound, each of its
 * connections may hold an equal share of the bound and no more: whoever holds little goes on. What is on its way may still come;
 * where that of all passes its bound by half, whoever holds more than a share is to be closed.
 * <p>
 * Thread: any.
 */
public final class HeldBytes {
    /** The connections of one user, or all of them. */
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
     * @param max bytes of all connections; those of one user hold half of it
     * @param counter has the bytes of all connections, for metrics
     */
    public HeldBytes(long max, LongAdder counter) {
        this.max = max;
        this.counter = counter;
    }

    /** The connection of a user begins to count. @return its part, to be left when it ends */
    public Part enter(String user) {
        all.connections.incrementAndGet();
        Sum ofUser = users.compute(user, (name, known) -> {
            Sum sum = known == null ? new Sum() : known;
            sum.connections.incrementAndGet();
            return sum;
        });
        return new Part(user, ofUser);
    }

    /** What one connection has told. Thread: its event loop. */
    public final class Part {
        /** A connection tells its bytes in steps, so that a message costs a comparison. */
        private static final long STEP = 64 * 1024;

        private final String user;
        private final Sum ofUser;
        private long told;

        private Part(String user, Sum ofUser) {
            this.user = user;
            this.ofUser = ofUser;
        }

        /** @param now all that the connection holds, in bytes */
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

        /** What the connection may hold while others hold so much; {@link Long#MAX_VALUE} as long as all have room. */
        long share() {
            return Math.min(all.share(max), ofUser.share(max / 2));
        }

        /** Whether there is no more room for what the connection holds. */
        boolean isTooMuch(long held) {
            return all.isTooMuch(held, max);
        }

        /** The connection has ended. */
        void leave() {
            tell(0);
            all.connections.decrementAndGet();
            users.computeIfPresent(user, (name, sum) -> sum.connections.decrementAndGet() == 0 ? null : sum);
        }
    }
}
