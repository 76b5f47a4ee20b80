package io.ringtable.benchmarks.design;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Does in this process what the procedures of {@code session.sql} do in a server: one message after the other, a commit
 * after each batch, a pause of a millisecond when there is nothing to do. Thread: one at a time.
 */
abstract class StatementSession implements Session {
    private static final long PAUSE_NANOS = 1_000_000;

    private final Connection connection;
    private final Statement transaction;
    private final Map<DesignStatement, PreparedStatement> prepared = new EnumMap<>(DesignStatement.class);
    private final int id;
    private Long pending;
    private long heldUpNanos;

    StatementSession(Connection connection, Map<DesignStatement, String> statements, int id, Long pending) {
        this.connection = connection;
        this.id = id;
        this.pending = pending;
        try {
            transaction = connection.createStatement();
            for (Map.Entry<DesignStatement, String> entry : statements.entrySet()) {
                prepared.put(entry.getKey(), connection.prepareStatement(entry.getValue()));
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Takes the number of the next message; null if there is none. */
    abstract Long next() throws SQLException;

    /** Moves the message of a number, and returns its number in the tables; null if it cannot be moved now. */
    abstract Long moveOne(long number) throws SQLException;

    /** Returns the number to try after one that could not be moved; null if the session asks anew. */
    abstract Long afterMiss(long number) throws SQLException;

    /** Writes the statistics. */
    abstract void note(long moved) throws SQLException;

    final PreparedStatement statement(DesignStatement name) {
        return prepared.get(name);
    }

    final boolean has(DesignStatement name) {
        return prepared.containsKey(name);
    }

    final int id() {
        return id;
    }

    @Override
    public final Tally move(long most, Duration time, int batch) {
        long deadline = System.nanoTime() + time.toNanos();
        long moved = 0;
        long ids = 0;
        long missed = 0;
        long late = 0;
        long last = 0;
        heldUpNanos = 0;
        try {
            begin();
            while (moved < most && System.nanoTime() < deadline) {
                if (pending == null) {
                    pending = next();
                }
                Long found = pending == null ? null : moveOne(pending);
                if (found != null) {
                    pending = null;
                    moved++;
                    ids += found;
                    late += found < last ? 1 : 0;
                    last = found;
                    if (moved % batch == 0) {
                        commit();
                        begin();
                    }
                } else {
                    missed++;
                    pending = pending == null ? null : afterMiss(pending);
                    commit();
                    LockSupport.parkNanos(PAUSE_NANOS);
                    begin();
                }
            }
            note(moved);
            commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return new Tally(moved, ids, missed, late, heldUpNanos);
    }

    /** Takes the file's only write lock at once: a transaction that asks for it later may be refused. */
    private void begin() throws SQLException {
        long begun = System.nanoTime();
        transaction.executeUpdate("BEGIN IMMEDIATE");
        heldUpNanos += System.nanoTime() - begun;
    }

    private void commit() throws SQLException {
        transaction.executeUpdate("COMMIT");
    }

    /** Sets a parameter, unless the design's statement has fewer. */
    static void bind(PreparedStatement statement, int index, int value) throws SQLException {
        if (index <= statement.getParameterMetaData().getParameterCount()) {
            statement.setInt(index, value);
        }
    }

    /** Returns the only value of a statement's only row; null if there is none. */
    static Long valueOf(PreparedStatement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery()) {
            return row.next() ? (Long) row.getLong(1) : null;
        }
    }

    @Override
    public final Long pending() {
        return pending;
    }

    @Override
    public final void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Pushes. */
    static final class Pusher extends StatementSession {
        Pusher(Connection connection, Map<DesignStatement, String> statements, Setup setup, int id, Long pending) {
            super(connection, statements, id, pending);
            try {
                PreparedStatement push = statement(DesignStatement.PUSH_ONE);
                push.setString(2, "Hello World".concat(" ".repeat(setup.bodyBytes() - "Hello World".length())));
                bind(push, 3, setup.subscribers());
                bind(push, 4, setup.ringSize());
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        Long next() throws SQLException {
            return valueOf(statement(DesignStatement.NEXT_PUSH));
        }

        @Override
        Long moveOne(long number) throws SQLException {
            PreparedStatement push = statement(DesignStatement.PUSH_ONE);
            push.setLong(1, number);
            return push.executeUpdate() > 0 ? number : null;
        }

        @Override
        Long afterMiss(long number) {
            return number; // the slot is full: wait for it
        }

        @Override
        void note(long moved) throws SQLException {
            PreparedStatement pushed = statement(DesignStatement.PUSHED);
            pushed.setInt(1, id());
            pushed.setLong(2, moved);
            pushed.executeUpdate();
        }
    }

    /** Pops for one subscriber. */
    static final class Popper extends StatementSession {
        private final int subscriber;
        private final int bodyBytes;

        Popper(
                Connection connection,
                Map<DesignStatement, String> statements,
                Setup setup,
                int id,
                Long pending,
                int subscriber) {
            super(connection, statements, id, pending);
            this.subscriber = subscriber;
            this.bodyBytes = setup.bodyBytes();
            try {
                statement(DesignStatement.NEXT_POP).setInt(1, subscriber);
                PreparedStatement pop = statement(DesignStatement.POP_ONE);
                pop.setInt(2, subscriber);
                bind(pop, 3, setup.ringSize());
                if (has(DesignStatement.AFTER_POP)) {
                    statement(DesignStatement.AFTER_POP).setInt(1, subscriber);
                }
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        Long next() throws SQLException {
            return valueOf(statement(DesignStatement.NEXT_POP));
        }

        @Override
        Long moveOne(long number) throws SQLException {
            PreparedStatement pop = statement(DesignStatement.POP_ONE);
            pop.setLong(1, number);
            long found;
            try (ResultSet row = pop.executeQuery()) {
                if (!row.next()) {
                    return null;
                }
                found = row.getLong(1);
                int length = row.getString(2).length();
                if (length != bodyBytes) {
                    throw new IllegalStateException(
                            "message " + found + " has " + length + " bytes, and " + bodyBytes + " were pushed");
                }
            }
            if (has(DesignStatement.AFTER_POP)) {
                statement(DesignStatement.AFTER_POP).executeUpdate();
            }
            return found;
        }

        @Override
        Long afterMiss(long number) throws SQLException {
            if (!has(DesignStatement.AFTER_MISS)) {
                return null;
            }
            PreparedStatement same = statement(DesignStatement.AFTER_MISS);
            same.setLong(1, number);
            return valueOf(same);
        }

        @Override
        void note(long moved) throws SQLException {
            PreparedStatement popped = statement(DesignStatement.POPPED);
            popped.setInt(1, id());
            popped.setInt(2, subscriber);
            popped.setLong(3, moved);
            popped.executeUpdate();
        }
    }
}
