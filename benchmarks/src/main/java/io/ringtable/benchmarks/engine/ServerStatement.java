package io.ringtable.benchmarks.engine;

/** Names statements that only a server needs; their files in {@code db/postgresql/statements} have the same names. */
enum ServerStatement {
    DATABASE_CREATE,
    DATABASE_DROP,
    DATABASE_LOG_BYTES,
    /** Takes a snapshot that sees nothing of what follows. */
    SNAPSHOT_HOLD,
    DATABASE_BYTES,
    /** Lets the session's commits return before they are on the disk. */
    SESSION_DELAYED
}
