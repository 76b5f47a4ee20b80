package io.ringtable.benchmarks.engine;

/** Names what threads of a server contend for; {@code database_contention.sql} has these words. Thread: any. */
public enum Contention {
    LATCH,
    SPINLOCK,
    MEMORY_OBJECT
}
