package io.ringtable.benchmarks.checkpoint;

/** Names statements that only PostgreSQL has; files in {@code db/postgresql/statements} have the same names. */
enum CapStatement {
    CHECKPOINT_UNCAP,
    CHECKPOINT_CAP,
    CHECKPOINT_RELOAD
}
