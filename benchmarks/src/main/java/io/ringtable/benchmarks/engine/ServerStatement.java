package io.ringtable.benchmarks.engine;

/** Names statements that only a server needs; their files in {@code db/postgresql/statements} have the same names. */
enum ServerStatement {
    DATABASE_CREATE,
    DATABASE_DROP,
    DATABASE_LOG_BYTES,
    /** Takes a snapshot that sees nothing of what follows. */
    SNAPSHOT_HOLD,
    DATABASE_BYTES,
    /** One row; its columns are named as {@link Count}. */
    DATABASE_COUNTS,
    /** Installs the view of the buffers that {@link #DATABASE_DIRTY} asks. */
    DATABASE_EXTEND,
    /** Changed pages in the server's buffers. */
    DATABASE_DIRTY,
    /** Sessions beside this one. */
    DATABASE_SESSIONS,
    /** One row for each session that is at work: the event that it waits for, or nothing. */
    DATABASE_WAITS,
    /** Lets the session's commits return before they are on the disk. */
    SESSION_DELAYED
}
