package io.ringtable.benchmarks.engine;

/** Names statements that only SQL Server needs; files in {@code db/sqlserver/statements} have the same names. */
enum SqlserverStatement {
    DATABASE_CREATE,
    DATABASE_COUNTS,
    DATABASE_SESSIONS,
    DATABASE_WAITS,
    /** Rows of a {@link Contention}, its name, and how much of it there was so far. */
    DATABASE_CONTENTION,
    DATABASE_DROP,
    DATABASE_LOG_BYTES,
    /** Lets all commits in the database return before they are on the disk. */
    DATABASE_DELAYED
}
