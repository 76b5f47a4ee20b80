package io.ringtable.broker.inspect;

import java.time.Duration;

/**
 * Bounds one search: the messages that it looks at, their bytes, and its time.
 * <p>
 * Thread: inspector; one instance for each search.
 */
final class SearchBounds {
    /** The most messages that one search looks at: slots of the ring, rows of the backlog, or messages in memory. */
    static final int LOOKED_AT_MAX = 65_536;
    /** The number of bytes after which a search reads no further message. */
    private static final long BYTES_MAX = 64L << 20;
    /** The time after which a search reads no further. */
    private static final Duration TIME_MAX = Duration.ofSeconds(2);

    private final long begun = System.nanoTime();
    private int lookedAt;
    private long bytes;

    boolean isRoomLeft() {
        return lookedAt < LOOKED_AT_MAX && bytes < BYTES_MAX && System.nanoTime() - begun < TIME_MAX.toNanos();
    }

    void lookedAt(int more) {
        lookedAt += more;
    }

    void read(long more) {
        bytes += more;
    }
}
