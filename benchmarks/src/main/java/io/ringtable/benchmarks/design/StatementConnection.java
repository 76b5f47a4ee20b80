package io.ringtable.benchmarks.design;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/** Holds a session's connection to a file of SQLite, with the statements of its design. Thread: one at a time. */
final class StatementConnection implements AutoCloseable {
    private final Connection connection;
    private final Statement transaction;
    private final Map<DesignStatement, PreparedStatement> prepared = new EnumMap<>(DesignStatement.class);
    private final int id;
    private final ReentrantLock turn;
    private long heldUpNanos;

    /**
     * @param id of the session, for its statistics
     * @param turn that each session of the file takes for a transaction
     */
    StatementConnection(Connection connection, Map<DesignStatement, String> statements, int id, ReentrantLock turn)
            throws SQLException {
        this.connection = connection;
        this.id = id;
        this.turn = turn;
        this.transaction = connection.createStatement();
        for (Map.Entry<DesignStatement, String> entry : statements.entrySet()) {
            prepared.put(entry.getKey(), connection.prepareStatement(entry.getValue()));
        }
    }

    int id() {
        return id;
    }

    PreparedStatement statement(DesignStatement name) {
        return prepared.get(name);
    }

    boolean has(DesignStatement name) {
        return prepared.containsKey(name);
    }

    /** Sets a parameter, unless the design's statement has fewer. */
    void bind(DesignStatement name, int index, int value) throws SQLException {
        PreparedStatement statement = statement(name);
        if (index <= statement.getParameterMetaData().getParameterCount()) {
            statement.setInt(index, value);
        }
    }

    /** Returns the only value of a statement's only row; null if there is none. */
    Long valueOf(DesignStatement name) throws SQLException {
        try (ResultSet row = statement(name).executeQuery()) {
            return row.next() ? (Long) row.getLong(1) : null;
        }
    }

    /** Takes the file's only write lock at once: a transaction that asks for it later may be refused. */
    void begin() throws SQLException {
        long begun = System.nanoTime();
        turn.lock();
        transaction.executeUpdate("BEGIN IMMEDIATE");
        heldUpNanos += System.nanoTime() - begun;
    }

    void commit() throws SQLException {
        transaction.executeUpdate("COMMIT");
        turn.unlock();
    }

    /** Ends a transaction that has failed, so that the other sessions get their turns. */
    void abandon() {
        if (turn.isHeldByCurrentThread()) {
            close(); // rolls back
            turn.unlock();
        }
    }

    /** Returns how long it has waited for its turns so far. */
    long heldUpNanos() {
        return heldUpNanos;
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
