package io.ringtable.benchmarks.store;

/** Names statements about a whole database; their files in {@code db/<engine>/statements} have the same names. */
enum DatabaseStatement {
    /** One row that says how durable a commit is. */
    DATABASE_DURABILITY
}
