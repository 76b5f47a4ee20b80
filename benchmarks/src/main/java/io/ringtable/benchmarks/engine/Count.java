package io.ringtable.benchmarks.engine;

import java.util.EnumMap;
import java.util.Map;

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
    /** Pages that tables and indexes took, of all databases. */
    PAGES_ALLOCATED,
    /** Pages of indexes that were split because a row had no room, of all databases. */
    PAGE_SPLITS,
    /** Writes that the disk with the engine's files has completed, by all processes; of SQL Server its own. */
    DEVICE_WRITES,
    DEVICE_BYTES,
    /** Flushes of the same disk. */
    DEVICE_FLUSHES;

    /** Returns how much more each count is than an earlier one. */
    public static Map<Count, Long> between(Map<Count, Long> earlier, Map<Count, Long> later) {
        Map<Count, Long> more = new EnumMap<>(Count.class);
        later.forEach((count, value) -> more.put(count, value - earlier.getOrDefault(count, 0L)));
        return more;
    }
}
