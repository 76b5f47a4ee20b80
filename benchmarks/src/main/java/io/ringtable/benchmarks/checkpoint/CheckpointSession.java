package io.ringtable.benchmarks.checkpoint;

import io.ringtable.benchmarks.engine.BenchmarkDatabase;
import io.ringtable.broker.store.jdbc.StatementFiles;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/**
 * Holds a connection that runs the suite's statements, a commit after each. Thread: one at a time.
 * <p>
 * Failure: an {@link IllegalStateException} has the engine's own error.
 */
final class CheckpointSession implements AutoCloseable {
    private final StatementFiles<CheckpointStatement> files;
    private final BenchmarkDatabase database;
    private final Connection connection;

    CheckpointSession(BenchmarkDatabase database) {
        this.database = database;
        this.files = new StatementFiles<>(database.engine(), CheckpointStatement.class);
        try {
            connection = database.connect();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        run(CheckpointStatement.CHECKPOINT_SESSION);
    }

    /** Returns the seconds that a statement without parameters took. */
    double run(CheckpointStatement name) {
        try (Statement statement = connection.createStatement()) {
            long begun = System.nanoTime();
            statement.execute(files.sql(name));
            return (System.nanoTime() - begun) / 1e9;
        } catch (SQLException e) {
            throw new IllegalStateException(name.toString(), e);
        }
    }

    /**
     * Returns the seconds that a statement for so many pages took.
     *
     * @param wanted rows that it must change
     */
    double change(CheckpointStatement name, int pages, int wanted) {
        try (PreparedStatement statement = connection.prepareStatement(files.sql(name))) {
            statement.setInt(1, pages);
            long begun = System.nanoTime();
            int changed = statement.executeUpdate();
            double seconds = (System.nanoTime() - begun) / 1e9;
            if (changed != wanted) {
                throw new IllegalStateException(name + " changed " + changed + " rows instead of " + wanted);
            }
            return seconds;
        } catch (SQLException e) {
            throw new IllegalStateException(name.toString(), e);
        }
    }

    /** Prepares the statement that commits one small row. */
    PreparedStatement commit() throws SQLException {
        return connection.prepareStatement(files.sql(CheckpointStatement.CHECKPOINT_COMMIT));
    }

    /** Returns which settings let commits of this session be lost; empty if none does. */
    Optional<String> whyNotDurable() {
        try {
            return database.whyNotDurable(connection);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
