package io.ringtable.benchmarks.checkpoint;

/** Names the statements of every engine; their files in {@code db/<engine>/statements} have the same names. */
enum CheckpointStatement {
    /** Sets what a session needs. */
    CHECKPOINT_SESSION,
    CHECKPOINT_PAGES,
    CHECKPOINT_COUNTER,
    CHECKPOINT_FILL,
    /** Changes the first half of the pages. */
    CHECKPOINT_CONTIGUOUS,
    /** Changes every second page. */
    CHECKPOINT_ALTERNATING,
    /** Leaves no page to the checkpoint under measurement that it does not count. */
    CHECKPOINT_CLEAN,
    CHECKPOINT_RUN,
    /** Commits one small row. */
    CHECKPOINT_COMMIT
}
