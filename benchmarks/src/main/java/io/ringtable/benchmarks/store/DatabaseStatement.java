package io.ringtable.benchmarks.store;

/** Statements about a database as a whole; files of the same name in {@code db/<engine>/statements}. */
enum DatabaseStatement {
    /** One row that says how durable a commit is. */
    DATABASE_DURABILITY
}
