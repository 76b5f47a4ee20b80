package io.ringtable.benchmarks.store;

/** The naive queue; files of the same name in {@code db/<engine>/statements}. */
enum NaiveStatement {
    NAIVE_CREATE,
    NAIVE_SEQUENCE,
    NAIVE_FILL,
    NAIVE_PUSH,
    NAIVE_POP
}
