package io.ringtable.benchmarks.store;

/** Statements that only a server needs; files of the same name in {@code db/postgresql/statements}. */
enum ServerStatement {
    DATABASE_CREATE,
    DATABASE_DROP,
    DATABASE_LOG_BYTES,
    /** Rows of other messages, so that a snapshot is held that sees none of what follows. */
    SNAPSHOT_HOLD,
    DATABASE_BYTES
}
