package io.ringtable.benchmarks.store;

/** Names the naive queue's statements; their files in {@code db/<engine>/statements} have the same names. */
enum NaiveStatement {
    NAIVE_CREATE,
    NAIVE_SEQUENCE,
    NAIVE_FILL,
    NAIVE_PUSH,
    NAIVE_POP
}
