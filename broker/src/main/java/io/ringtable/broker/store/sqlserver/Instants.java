package io.ringtable.broker.store.sqlserver;

/** Converts instants to what the procedures take: milliseconds since the epoch. Thread: any. */
final class Instants {
    /** Ends the year 9999: the last millisecond that a DATETIME2 knows. */
    static final long LAST_MS = 253_402_300_799_999L;

    private Instants() {}

    /** Turns what lies beyond the last instant of the type into that instant; 0 stays 0, none. */
    static long clamp(long ms) {
        return Math.min(ms, LAST_MS);
    }
}
