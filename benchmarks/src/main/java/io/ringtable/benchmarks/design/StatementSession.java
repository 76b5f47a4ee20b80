package io.ringtable.benchmarks.design;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Does in this process what the procedures of {@code session.sql} do in a server. Takes one message after the other,
 * commits after each batch, and pauses for a millisecond when there is nothing to do. Thread: one at a time.
 */
abstract class StatementSession implements Session {
    private static final long PAUSE_NANOS = 1_000_000;

    private final StatementConnection connection;
    private Long pending;

    StatementSession(StatementConnection connection, Long pending) {
        this.connection = connection;
        this.pending = pending;
    }

    /** Takes the number of the next message; null if there is none. */
    abstract Long next() throws SQLException;

    /** Moves the message of a number, and returns its number in the tables; null if it cannot be moved now. */
    abstract Long moveOne(long number) throws SQLException;

    /** Returns the number to try after one that could not be moved; null if the session asks anew. */
    abstract Long afterMiss(long number) throws SQLException;

    /** Writes the statistics. */
    abstract void note(long moved) throws SQLException;

    @Override
    public final Tally move(long most, Duration time, int batch) {
        long deadline = System.nanoTime() + time.toNanos();
        long moved = 0;
        long ids = 0;
        long missed = 0;
        long late = 0;
        long last = 0;
        long heldUpBefore = connection.heldUpNanos();
        try {
            connection.begin();
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
                        connection.commit();
                        connection.begin();
                    }
                } else {
                    missed++;
                    pending = pending == null ? null : afterMiss(pending);
                    connection.commit();
                    LockSupport.parkNanos(PAUSE_NANOS);
                    connection.begin();
                }
            }
            note(moved);
            connection.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        } finally {
            connection.abandon();
        }
        return new Tally(moved, ids, missed, late, connection.heldUpNanos() - heldUpBefore);
    }

    @Override
    public final Long pending() {
        return pending;
    }

    @Override
    public final void close() {
        connection.close();
    }

    /** Pushes. */
    static final class Pusher extends StatementSession {
        private static final String GREETING = "Hello World";

        private final StatementConnection connection;
        private final PreparedStatement push;

        Pusher(StatementConnection connection, QueueShape shape, Long pending) throws SQLException {
            super(connection, pending);
            this.connection = connection;
            this.push = connection.statement(DesignStatement.PUSH_ONE);
            push.setString(2, GREETING + " ".repeat(shape.bodyBytes() - GREETING.length()));
            connection.bind(DesignStatement.PUSH_ONE, 3, shape.subscribers());
            connection.bind(DesignStatement.PUSH_ONE, 4, shape.ringSize());
        }

        @Override
        Long next() throws SQLException {
            return connection.valueOf(DesignStatement.NEXT_PUSH);
        }

        @Override
        Long moveOne(long number) throws SQLException {
            push.setLong(1, number);
            return push.executeUpdate() > 0 ? number : null;
        }

        @Override
        Long afterMiss(long number) {
            return number; // the slot is full: wait for it
        }

        @Override
        void note(long moved) throws SQLException {
            PreparedStatement pushed = connection.statement(DesignStatement.PUSHED);
            pushed.setInt(1, connection.id());
            pushed.setLong(2, moved);
            pushed.executeUpdate();
        }
    }

    /** Pops for one subscriber. */
    static final class Popper extends StatementSession {
        private final StatementConnection connection;
        private final PreparedStatement pop;
        private final int subscriber;
        private final int bodyBytes;

        Popper(StatementConnection connection, QueueShape shape, Long pending, int subscriber) throws SQLException {
            super(connection, pending);
            this.connection = connection;
            this.pop = connection.statement(DesignStatement.POP_ONE);
            this.subscriber = subscriber;
            this.bodyBytes = shape.bodyBytes();
            pop.setInt(2, subscriber);
            connection.bind(DesignStatement.POP_ONE, 3, shape.ringSize());
            connection.bind(DesignStatement.NEXT_POP, 1, subscriber);
            if (connection.has(DesignStatement.AFTER_POP)) {
                connection.bind(DesignStatement.AFTER_POP, 1, subscriber);
            }
        }

        @Override
        Long next() throws SQLException {
            return connection.valueOf(DesignStatement.NEXT_POP);
        }

        @Override
        Long moveOne(long number) throws SQLException {
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
            if (connection.has(DesignStatement.AFTER_POP)) {
                connection.statement(DesignStatement.AFTER_POP).executeUpdate();
            }
            return found;
        }

        @Override
        Long afterMiss(long number) throws SQLException {
            if (!connection.has(DesignStatement.AFTER_MISS)) {
                return null;
            }
            connection.statement(DesignStatement.AFTER_MISS).setLong(1, number);
            return connection.valueOf(DesignStatement.AFTER_MISS);
        }

        @Override
        void note(long moved) throws SQLException {
            PreparedStatement popped = connection.statement(DesignStatement.POPPED);
            popped.setInt(1, connection.id());
            popped.setInt(2, subscriber);
            popped.setLong(3, moved);
            popped.executeUpdate();
        }
    }
}
