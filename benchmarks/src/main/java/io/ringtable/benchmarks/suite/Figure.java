package io.ringtable.benchmarks.suite;

import java.util.Locale;

/** Names what a run finds; each has a column of the raw data by its name in lower case. Thread: any. */
public enum Figure {
    /** Measured time. */
    SECONDS,
    /** Messages that every subscriber received, or that a flush published and settled. */
    MESSAGES,
    MESSAGES_PER_S,
    PUSHED,
    POPPED,
    /** Attempts that found the slot full or empty. */
    MISSED,
    /** Messages that a session popped after one with a higher number. */
    LATE,
    /** Messages that nobody could pop, also after the run. */
    LOST,
    COMMIT_MEDIAN_US,
    COMMIT_P99_US,
    /** Processor time of this process and of a server that it started. */
    CPU_US_PER_MESSAGE,
    /** {@code durable} or {@code not durable}, by the engine's settings and by counted syncs. */
    VERIFIED,
    /** Why the run is not durable. */
    WHY_NOT,
    /** Median sync of one page to the same disk, right before the run. */
    RAW_SYNC_US,
    /** Commits of whole batches, of all sessions. */
    COMMITS,
    LOG_WRITES,
    LOG_SYNCS,
    LOG_BYTES,
    PAGE_IMAGES,
    /** Pages that are changed and wait for a checkpoint, more than before. */
    PAGES_DIRTIED,
    CHECKPOINT_WRITES,
    CHECKPOINT_BYTES,
    CHECKPOINT_SECONDS,
    /** Time of the update whose pages the checkpoint writes. */
    UPDATE_SECONDS,
    DATA_WRITES,
    /** Pages that tables and indexes took; SQL Server tells. */
    PAGES_ALLOCATED,
    /** Pages of indexes that were split because a row had no room; SQL Server tells. */
    PAGE_SPLITS,
    /** Writes to the disk that holds the data, of all processes; of SQL Server its own. */
    DEVICE_WRITES,
    DEVICE_BYTES,
    /** Flushes of the same disk. */
    DEVICE_FLUSHES,
    /** The event that sessions waited for most, and the share of samples or of time that they did. */
    TOP_WAIT,
    TOP_WAIT_SHARE,
    /** The five events that sessions waited for most, each with its share in percent. */
    WAITS,
    /** The latch that threads waited for longest; SQL Server tells. */
    TOP_LATCH,
    /** The spinlock that threads gave up most often for a moment; SQL Server tells. */
    TOP_SPINLOCK,
    /** The kind of memory object that threads waited for most often; SQL Server tells. */
    TOP_MEMORY_OBJECT,
    /** A remark for the reader of the row; a run that failed says why. */
    NOTE;

    /** Returns the name of the column. */
    public String column() {
        return name().toLowerCase(Locale.ROOT);
    }
}
