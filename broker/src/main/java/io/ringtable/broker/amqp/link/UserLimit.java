package io.ringtable.broker.amqp.link;

import io.ringtable.broker.access.UserBounds;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Counts the connections of one user, and what all of them publish against a rate. Each message and each byte has its
 * price in time. A user may be ahead by one second; what is taken beyond that must be paid for by waiting before the
 * connections get credit again. So nothing is refused or lost, and the rate holds on average whatever the number of
 * connections. When the bounds change, what was taken and is not paid for costs what it costs now.
 * <p>
 * Thread: any; {@link UserLimits} guards the count of connections and the change of bounds.
 */
public final class UserLimit {
    /** Is for clients without a name. */
    public static final UserLimit NONE = new UserLimit("", () -> 0, new LongAdder());

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    /** Divides what a user may publish in a second: one link has credit for a part of it. */
    private static final int WINDOWS_PER_SECOND = 4;

    /** Says until when what was taken is paid for. */
    private static final class Rate {
        private final long perSecond;
        private final double price; // of one, in ns
        private final AtomicLong paidUntil;

        private Rate(long perSecond, long paidUntil) {
            this.perSecond = perSecond;
            this.price = (double) SECOND / perSecond;
            this.paidUntil = new AtomicLong(paidUntil);
        }

        /**
         * Returns a rate, null if there is no bound. Messages that are not paid for yet cost what they cost now.
         *
         * @param perSecond 0 = no bound
         * @param before the rate until now; null if there was none
         */
        static Rate of(long perSecond, Rate before, long now) {
            if (perSecond == 0) {
                return null;
            }
            if (before == null) {
                return new Rate(perSecond, now - SECOND);
            }
            long unpaid = before.paidUntil.get() - now; // 0 and below: time has paid for all
            if (unpaid <= 0) {
                return new Rate(perSecond, now + Math.max(unpaid, -SECOND));
            }
            return new Rate(perSecond, now + (long) ((double) unpaid * before.perSecond / perSecond));
        }

        void take(long count, long now) {
            long cost = (long) (count * price);
            long ahead = now - SECOND;
            paidUntil.updateAndGet(until -> (until - ahead > 0 ? until : ahead) + cost);
        }

        long waitNanos(long now) {
            return Math.max(0, paidUntil.get() - now);
        }

        boolean isFresh(long now) {
            return paidUntil.get() - (now - SECOND) <= 0;
        }

        /** Returns how many of that size one link may have on their way. */
        int window(int most, long size) {
            return (int) Math.max(1, Math.min(most, perSecond / WINDOWS_PER_SECOND / Math.max(1, size)));
        }
    }

    private final String user;
    private final LongSupplier nanos;
    private final LongAdder stalls;
    private UserBounds bounds = UserBounds.NONE;
    private volatile Rate messages; // null = no bound; written within bound(), read by any
    private volatile Rate bytes; // as messages
    private int connections;

    /**
     * Makes a limit without bounds, that nothing counts against yet.
     *
     * @param stalls counts how often a connection waits for the rate
     */
    UserLimit(String user, LongSupplier nanos, LongAdder stalls) {
        this.user = user;
        this.nanos = nanos;
        this.stalls = stalls;
    }

    String user() {
        return user;
    }

    /** Follows these bounds from now on. Connections that are too many stay open. */
    void bound(UserBounds now) {
        if (!now.equals(bounds)) {
            bounds = now;
            messages = Rate.of(now.messagesPerSecond(), messages, nanos.getAsLong());
            bytes = Rate.of(now.bytesPerSecond(), bytes, nanos.getAsLong());
        }
    }

    // ---- connections

    /** Counts a connection. @return false if the user has as many as it may */
    boolean enter() {
        if (bounds.connectionsMax() > 0 && connections >= bounds.connectionsMax()) {
            return false;
        }
        connections++;
        return true;
    }

    void leave() {
        connections--;
    }

    /** Tells whether a new limit would be the same: nothing is open, and time has paid for all. */
    boolean isForgettable() {
        Rate ofMessages = messages;
        Rate ofBytes = bytes;
        return connections == 0
                && (ofMessages == null || ofMessages.isFresh(nanos.getAsLong()))
                && (ofBytes == null || ofBytes.isFresh(nanos.getAsLong()));
    }

    // ---- the rate

    /** Takes what one transfer costs, whether or not time has paid for it. */
    public void take(int messageCount, int byteCount) {
        Rate ofMessages = messages;
        Rate ofBytes = bytes;
        if (ofMessages != null) {
            ofMessages.take(messageCount, nanos.getAsLong());
        }
        if (ofBytes != null) {
            ofBytes.take(byteCount, nanos.getAsLong());
        }
    }

    /** Tells whether the user must wait before its connections get credit. */
    public boolean isUsedUp() {
        return waitNanos() > 0;
    }

    /** Returns how long the user must wait, in ms, rounded up. */
    public long waitMs() {
        return TimeUnit.NANOSECONDS.toMillis(waitNanos() + TimeUnit.MILLISECONDS.toNanos(1) - 1);
    }

    private long waitNanos() {
        Rate ofMessages = messages;
        Rate ofBytes = bytes;
        if (ofMessages == null && ofBytes == null) {
            return 0;
        }
        long now = nanos.getAsLong();
        return Math.max(
                ofMessages == null ? 0 : ofMessages.waitNanos(now), ofBytes == null ? 0 : ofBytes.waitNanos(now));
    }

    /** Counts that a connection waits for the rate. */
    public void stalled() {
        stalls.increment();
    }

    /**
     * Returns how many transfers one link may have on their way: what comes at once stays a part of a second.
     *
     * @param most the bound without a rate
     * @param size of a usual transfer, in bytes
     */
    public int window(int most, int size) {
        Rate ofMessages = messages;
        Rate ofBytes = bytes;
        int window = ofMessages == null ? most : ofMessages.window(most, 1);
        return ofBytes == null ? window : ofBytes.window(window, size);
    }
}
