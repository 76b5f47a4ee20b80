package io.ringtable.benchmarks.engine;

/** Names what engine and machine count. Columns of {@code database_counts.sql} have these names. Thread: any. */
public enum Count {
    /** Writes to the log: of SQLite its frames, each written by itself. */
    LOG_WRITES,
    LOG_SYNCS,
    LOG_BYTES,
    /** Whole pages in the log, after a checkpoint. */
    PAGE_IMAGES,
    /** Pages that are changed and wait for a checkpoint, more than at the beginning. */
    PAGES_DIRTIED,
    CHECKPOINT_WRITES,
    CHECKPOINT_BYTES,
    CHECKPOINT_MICROS,
    /** Writes to tables and indexes by anyone. */
    DATA_WRITES,
    /** Flushes of the disk that has the engine's files, by all processes of the machine. */
    DEVICE_FLUSHES
}
