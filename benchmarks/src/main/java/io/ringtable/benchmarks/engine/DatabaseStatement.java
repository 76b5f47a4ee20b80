package io.ringtable.benchmarks.engine;

/** Names statements about a whole database; their files in {@code db/<engine>/statements} have the same names. */
enum DatabaseStatement {
    /** One row that says how durable a commit is. */
    DATABASE_DURABILITY
}
