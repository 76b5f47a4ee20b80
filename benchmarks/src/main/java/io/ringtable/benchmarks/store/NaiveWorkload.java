package io.ringtable.benchmarks.store;

import io.ringtable.benchmarks.engine.BenchmarkDatabase;
import io.ringtable.benchmarks.engine.LogMeter;
import io.ringtable.broker.store.jdbc.StatementFiles;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.util.Optional;

/**
 * Drives the queue that everybody writes first: a B-tree ordered by a sequence. An INSERT pushes, a DELETE of the first
 * row pops, and each subscriber has a row.
 * <p>
 * The queue has every advantage that does not change its design. Statements are prepared once and sent in batches. One
 * DELETE takes the first rows of a batch, push and pop share a commit, and nothing is read back.
 */
public final class NaiveWorkload implements Workload {
    private final BenchmarkDatabase database;
    private final Connection connection;
    private final PreparedStatement push;
    private final PreparedStatement pop;
    private final LogMeter log;
    private final Shape shape;
    private final byte[][] bodies = RingWorkload.bodies();
    private long pushed;
    private int toPop;

    /** Creates the queue in an empty database. */
    public NaiveWorkload(BenchmarkDatabase database, Shape shape) {
        this.database = database;
        this.shape = shape;
        StatementFiles<NaiveStatement> files = new StatementFiles<>(database.engine(), NaiveStatement.class);
        try {
            connection = database.connect();
            try (Statement ddl = connection.createStatement()) {
                ddl.execute(files.sql(NaiveStatement.NAIVE_SEQUENCE));
                ddl.execute(files.sql(NaiveStatement.NAIVE_CREATE));
            }
            if (shape.backlogRows() > 0) {
                fill(files.sql(NaiveStatement.NAIVE_FILL));
            }
            connection.setAutoCommit(false);
            push = connection.prepareStatement(files.sql(NaiveStatement.NAIVE_PUSH));
            pop = connection.prepareStatement(files.sql(NaiveStatement.NAIVE_POP));
            run(shape.batch());
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        log = database.logMeter();
    }

    private void fill(String sql) throws SQLException {
        try (PreparedStatement fill = connection.prepareStatement(sql)) {
            fill.setInt(1, shape.backlogRows());
            fill.setBytes(2, bodies[0]);
            fill.executeUpdate();
        }
    }

    @Override
    public int commit() {
        commit(shape.batch());
        return shape.batch();
    }

    /** Makes one commit of so many messages, durable when this returns. */
    public void commit(int messages) {
        try {
            run(messages);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        log.committed();
    }

    private void run(int messages) throws SQLException {
        Timestamp now = new Timestamp(System.currentTimeMillis());
        int rows = messages * shape.subscribers();
        for (int i = 0; i < rows; i++) {
            push.setTimestamp(1, now);
            push.setBytes(2, bodies[(int) (pushed++ & RingWorkload.BODIES - 1)]);
            push.addBatch();
        }
        for (int count : push.executeBatch()) {
            expect(1, count);
        }
        if (toPop > 0) {
            pop.setInt(1, toPop);
            expect(toPop, pop.executeUpdate());
        }
        connection.commit();
        toPop = rows;
    }

    private static void expect(int rows, int count) {
        if (count != rows) {
            throw new IllegalStateException(count + " rows changed where " + rows + " were pushed or popped");
        }
    }

    @Override
    public long logBytes() {
        return log.bytes();
    }

    @Override
    public double cpuSeconds() {
        return database.cpuSeconds();
    }

    /** Returns why commits of its session may be lost in a crash of the machine; empty if they may not. */
    public Optional<String> whyNotDurable() {
        try {
            return database.whyNotDurable(connection);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Ends the session, and leaves the database. */
    public void closeSession() {
        log.close();
        try {
            connection.close();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        closeSession();
        database.close();
    }
}
