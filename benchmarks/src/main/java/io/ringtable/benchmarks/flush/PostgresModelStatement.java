package io.ringtable.benchmarks.flush;

/** Names statements of the model that PostgreSQL needs beside {@link ModelStatement}. */
enum PostgresModelStatement {
    MODEL_COUNT_CREATE,
    MODEL_SCATTERED_CREATE,
    MODEL_SCATTERED_CLAIM
}
