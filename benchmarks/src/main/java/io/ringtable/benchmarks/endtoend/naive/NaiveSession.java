package io.ringtable.benchmarks.endtoend.naive;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.atomic.LongAdder;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/** Holds a client's connection, with one transaction after the other. Thread: one at a time. */
final class NaiveSession implements AutoCloseable {
    private static final String ROLLED_BACK = "40"; // class of SQLSTATE: a deadlock, or a conflict of transactions
    private static final int PRIMARY_CODE = 0xFF; // SQLite's extended codes carry theirs in the lowest byte

    private final Connection connection;
    private final LongAdder retries; // written by all sessions, read by main

    NaiveSession(Connection connection, boolean autoCommit, LongAdder retries) throws SQLException {
        this.connection = connection;
        this.retries = retries;
        connection.setAutoCommit(autoCommit);
    }

    /** Works within a transaction. */
    interface Work<R> {
        R run() throws SQLException;
    }

    PreparedStatement prepare(String sql) {
        try {
            return connection.prepareStatement(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Runs the work and commits; does both again as often as other clients are in the way. */
    <R> R transact(Work<R> work) {
        while (true) {
            try {
                R result = work.run();
                if (!connection.getAutoCommit()) {
                    connection.commit();
                }
                return result;
            } catch (SQLException e) {
                if (!passes(e)) {
                    throw new IllegalStateException(e);
                }
                rollBack();
                retries.increment();
            }
        }
    }

    private void rollBack() {
        try {
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns whether the same work may succeed later: nothing of it has been committed. */
    private static boolean passes(SQLException e) {
        return e instanceof SQLiteException sqlite
                ? (sqlite.getResultCode().code & PRIMARY_CODE) == SQLiteErrorCode.SQLITE_BUSY.code
                : e.getSQLState() != null && e.getSQLState().startsWith(ROLLED_BACK);
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
