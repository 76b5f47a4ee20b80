package io.ringtable.benchmarks.flush;

/** Names statements of the model that SQL Server needs beside {@link ModelStatement}. */
enum SqlserverModelStatement {
    MODEL_FILL,
    MODEL_SETTLE_NEW
}
