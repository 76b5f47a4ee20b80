package io.ringtable.benchmarks.design;

import io.ringtable.benchmarks.engine.BenchmarkDatabase;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * Holds the tables of one design in a database, and opens sessions on it. Thread: any.
 * <p>
 * Failure: an {@link IllegalStateException} has the engine's own error.
 */
abstract class DesignDatabase implements AutoCloseable {
    private final BenchmarkDatabase database;
    private final QueueShape shape;
    private final boolean durable;

    DesignDatabase(BenchmarkDatabase database, QueueShape shape, boolean durable) {
        this.database = database;
        this.shape = shape;
        this.durable = durable;
    }

    /**
     * Creates the tables of a design in an empty database.
     *
     * @param durable whether its sessions wait for the disk at each commit
     * @throws IllegalArgumentException if the engine cannot run the design
     */
    static DesignDatabase create(BenchmarkDatabase database, Design design, QueueShape shape, boolean durable) {
        DesignDatabase created = database.engine().equals(StatementDesign.ENGINE)
                ? new StatementDesign(database, design, shape, durable)
                : new ProcedureDesign(database, design, shape, durable);
        try {
            created.createTables();
        } catch (SQLException e) {
            throw new IllegalStateException(design.name() + " on " + database.engine(), e);
        }
        return created;
    }

    abstract void createTables() throws SQLException;

    /** Opens a session that pushes. @param pending number of an earlier session; null if none */
    abstract Session pusher(Long pending);

    /** Opens a session that pops for a subscriber, from 0. @param pending number of an earlier session; null if none */
    abstract Session popper(int subscriber, Long pending);

    /** Returns what the tables themselves tell of all sessions so far. */
    abstract Accounts accounts();

    BenchmarkDatabase database() {
        return database;
    }

    QueueShape shape() {
        return shape;
    }

    final Connection connect() throws SQLException {
        return durable ? database.connect() : database.connectDelayed();
    }

    @Override
    public void close() {
        database.close();
    }

    /**
     * Holds the sums of the statistics, and of the messages that are still there, once for each subscriber.
     *
     * @param pushed messages
     * @param popped messages, of all subscribers
     * @param owed messages, of all subscribers
     */
    record Accounts(long pushed, long popped, long owed) {}
}
