package io.ringtable.broker.amqp.link;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Counts the connections of one user, and what all of them publish against a rate. Each message and each byte has its
 * price in time. A user may be ahead by one second; what is taken beyond that must be paid for by waiting before the
 * connections get credit again. So nothing is refused or lost, and the rate holds on average whatever the number of
 * connections.
 * <p>
 * Thread: any; {@link UserLimits} guards the count of connections.
 */
public final class UserLimit {
    /** Is for clients without a name, and for users without bounds. */
    public static final UserLimit NONE = new UserLimit("", 0, 0, 0, () -> 0, new LongAdder());

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    /** Divides what a user may publish in a second: one link has credit for a part of it. */
    private static final int WINDOWS_PER_SECOND = 4;

    /** Says until when what was taken is paid for. */
    private static final class Rate {
        private final long perSecond;
        private final double price; // of one, in ns
        private final AtomicLong paidUntil;

        Rate(long perSecond, long now) {
            this.perSecond = perSecond;
            this.price = (double) SECOND / perSecond;
            this.paidUntil = new AtomicLong(now - SECOND);
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
    private final int connectionsMax; // 0 = no bound
    private final Rate messages; // null = no bound
    private final Rate bytes; // null = no bound
    private final LongSupplier nanos;
    private final LongAdder stalls;
    private int connections;

    /**
     * Makes a limit that nothing counts against yet.
     *
     * @param connectionsMax 0 = no bound, as for the next two
     * @param messagesMax in a second
     * @param bytesMax of messages, in a second
     * @param stalls counts how often a connection waits for the rate
     */
    UserLimit(String user, int connectionsMax, long messagesMax, long bytesMax, LongSupplier nanos, LongAdder stalls) {
        this.user = user;
        this.connectionsMax = connectionsMax;
        this.messages = messagesMax == 0 ? null : new Rate(messagesMax, nanos.getAsLong());
        this.bytes = bytesMax == 0 ? null : new Rate(bytesMax, nanos.getAsLong());
        this.nanos = nanos;
        this.stalls = stalls;
    }

    String user() {
        return user;
    }

    /** Returns how many connections the user may have; 0 = no bound. */
    public int connectionsMax() {
        return connectionsMax;
    }

    // ---- connections

    /** Counts a connection. @return false if the user has as many as it may */
    boolean enter() {
        if (connectionsMax > 0 && connections >= connectionsMax) {
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
        return connections == 0
                && (messages == null || messages.isFresh(nanos.getAsLong()))
                && (bytes == null || bytes.isFresh(nanos.getAsLong()));
    }

    // ---- the rate

    /** Takes what one transfer costs, whether or not time has paid for it. */
    public void take(int messageCount, int byteCount) {
        if (messages != null) {
            messages.take(messageCount, nanos.getAsLong());
        }
        if (bytes != null) {
            bytes.take(byteCount, nanos.getAsLong());
        }
    }

    /** Tells whether the user must wait before its connections get credit. */
    public boolean isUsedUp() {
        return (messages != null || bytes != null) && waitNanos() > 0;
    }

    /** Returns how long the user must wait, in ms, rounded up. */
    public long waitMs() {
        return TimeUnit.NANOSECONDS.toMillis(waitNanos() + TimeUnit.MILLISECONDS.toNanos(1) - 1);
    }

    private long waitNanos() {
        if (messages == null && bytes == null) {
            return 0;
        }
        long now = nanos.getAsLong();
        return Math.max(messages == null ? 0 : messages.waitNanos(now), bytes == null ? 0 : bytes.waitNanos(now));
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
        int window = messages == null ? most : messages.window(most, 1);
        return bytes == null ? window : bytes.window(window, size);
    }
}
