package io.ringtable.benchmarks.checkpoint;

import io.ringtable.benchmarks.engine.BenchmarkDatabase;
import io.ringtable.broker.store.jdbc.StatementFiles;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.Supplier;

/**
 * Lets PostgreSQL's checkpoints leave all their writing to the kernel until they sync. Usually the server asks the
 * kernel to write after each 256 KB, so that little is left for the sync.
 * <p>
 * Thread: the runner's. Failure: an {@link IllegalStateException} if the role may not change the server's settings.
 */
final class Uncapped {
    private final BenchmarkDatabase database;
    private final StatementFiles<CapStatement> files;

    Uncapped(BenchmarkDatabase database) {
        this.database = database;
        this.files = new StatementFiles<>(database.engine(), CapStatement.class);
    }

    /** Returns what a work returns that runs without the cap. */
    <T> T run(Supplier<T> work) {
        set(CapStatement.CHECKPOINT_UNCAP);
        try {
            return work.get();
        } finally {
            set(CapStatement.CHECKPOINT_CAP);
        }
    }

    private void set(CapStatement name) {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(files.sql(name));
            statement.execute(files.sql(CapStatement.CHECKPOINT_RELOAD));
        } catch (SQLException e) {
            throw new IllegalStateException(name.toString(), e);
        }
    }
}
