package io.ringtable.broker.store.sqlserver;

/** Instants as the procedures take them: milliseconds since the epoch. Thread: any. */
final class Instants {
    /** The last millisecond of the year 9999, the last one that a DATETIME2 knows. */
    static final long LAST_MS = 253_402_300_799_999L;

    private Instants() {}

    /** What lies beyond the last instant of the type becomes that instant; 0 stays 0, none. */
    static long clamp(long ms) {
        return Math.min(ms, LAST_MS);
    }
}
