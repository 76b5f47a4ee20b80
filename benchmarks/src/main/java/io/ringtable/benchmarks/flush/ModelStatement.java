package io.ringtable.benchmarks.flush;

/** Names the model's statements; their files in {@code db/<engine>/statements} have the same names. */
enum ModelStatement {
    MODEL_CREATE,
    MODEL_CLAIM,
    MODEL_SETTLE,
    MODEL_ROWS_CREATE,
    MODEL_ROWS_SETTLE,
    MODEL_COUNT_SETTLE
}
