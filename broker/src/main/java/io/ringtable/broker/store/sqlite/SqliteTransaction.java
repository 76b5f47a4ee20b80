package io.ringtable.broker.store.sqlite;

import io.ringtable.broker.store.StoreCounters;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.jdbc.SqlWork;
import io.ringtable.broker.store.jdbc.StatementFiles;
import io.ringtable.broker.store.jdbc.StoreErrors;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.Map;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/**
 * Holds the writing connection, with its statements prepared once, and the frame of a writing verb: begin, check the
 * owner, work, commit.
 * <p>
 * For the driver the connection stays in auto-commit. Begin and commit are statements of ours, because the driver's own
 * would immediately begin the next transaction and the log could never start anew.
 * <p>
 * Thread: the holder of the store's write lock.
 */
final class SqliteTransaction implements AutoCloseable {
    private final Connection connection;
    private final StatementFiles<SqliteStatement> files;
    private final Map<SqliteStatement, PreparedStatement> prepared = new EnumMap<>(SqliteStatement.class);
    private final Runnable written;
    private final StoreCounters counters;
    private boolean open;

    /** Holds what the owner row says; {@code gate} as it was when the transaction began. */
    record Owner(long epoch, long gate, int capacity) {}

    /** @param written runs after each commit */
    SqliteTransaction(
            Connection connection, StatementFiles<SqliteStatement> files, Runnable written, StoreCounters counters) {
        this.counters = counters;
        this.connection = connection;
        this.files = files;
        this.written = written;
    }

    /** Runs the work as one transaction of the shard's owner. */
    <T> T asOwner(long epoch, SqlWork<Owner, T> work) throws SQLException {
        return run(() -> work.on(owner(epoch)));
    }

    /** Runs inside a transaction. */
    @FunctionalInterface
    interface Body<T> {
        T run() throws SQLException;
    }

    <T> T run(Body<T> body) throws SQLException {
        prepared(SqliteStatement.TRANSACTION_BEGIN).execute();
        open = true;
        T result = body.run();
        commit();
        open = false;
        written.run();
        return result;
    }

    /** Checks the epoch; inside a transaction the answer holds until its end. */
    Owner owner(long epoch) throws SQLException {
        try (ResultSet row = prepared(SqliteStatement.CHECK_OWNER).executeQuery()) {
            if (!row.next()) {
                throw StoreErrors.fenced(epoch, 0);
            }
            Owner owner = new Owner(row.getLong(1), row.getLong(2), row.getInt(3));
            if (owner.epoch() != epoch) {
                throw StoreErrors.fenced(epoch, owner.epoch());
            }
            return owner;
        }
    }

    /** Returns the epoch of the shard; 0 in a new file. */
    long epoch() throws SQLException {
        try (ResultSet row = prepared(SqliteStatement.CHECK_OWNER).executeQuery()) {
            return row.next() ? row.getLong(1) : 0;
        }
    }

    /** Returns the statement, prepared once for the life of the connection. */
    PreparedStatement prepared(SqliteStatement statement) throws SQLException {
        PreparedStatement known = prepared.get(statement);
        if (known == null) {
            known = connection.prepareStatement(files.sql(statement));
            prepared.put(statement, known);
        }
        return known;
    }

    /** Binds longs and returns the number of rows changed. */
    int update(SqliteStatement statement, long... values) throws SQLException {
        return bind(statement, values).executeUpdate();
    }

    PreparedStatement bind(SqliteStatement statement, long... values) throws SQLException {
        PreparedStatement bound = prepared(statement);
        for (int i = 0; i < values.length; i++) {
            bound.setLong(i + 1, values[i]);
        }
        return bound;
    }

    void updateOne(SqliteStatement statement, long... values) throws SQLException {
        expectOne(statement, update(statement, values));
    }

    static void expectOne(SqliteStatement statement, long changed) {
        expect(statement, 1, changed);
    }

    static void expect(SqliteStatement statement, long expected, long changed) {
        if (changed != expected) {
            throw StoreErrors.count(statement.name().toLowerCase(java.util.Locale.ROOT), expected, changed);
        }
    }

    void rollback() throws SQLException {
        if (open) {
            open = false;
            forgetStatements();
            try {
                prepared(SqliteStatement.TRANSACTION_ROLLBACK).execute();
            } catch (SQLiteException e) {
                // A full disk or a failed write makes SQLite roll back by itself: then nothing is open any more.
                if (e.getResultCode() != SQLiteErrorCode.SQLITE_ERROR) {
                    throw e;
                }
            }
        }
    }

    /**
     * Drops all statements, which are then prepared anew: the driver gives up a statement whose execution has failed.
     */
    private void forgetStatements() throws SQLException {
        for (PreparedStatement statement : prepared.values()) {
            statement.close();
        }
        prepared.clear();
    }

    @Override
    public void close() throws SQLException {
        connection.close(); // its statements go with it
    }

    /**
     * Commits. If the log cannot be written or synced, the transaction is rolled back in memory, while its last page
     * may yet have reached the disk. Only the next write to the log settles that.
     */
    private void commit() throws SQLException {
        try {
            long begun = System.nanoTime();
            prepared(SqliteStatement.TRANSACTION_COMMIT).execute();
            counters.commitNanos.add(System.nanoTime() - begun);
            counters.commits.increment();
        } catch (SQLiteException e) {
            if ((e.getResultCode().code & 0xff) == SQLiteErrorCode.SQLITE_IOERR.code) {
                throw StoreErrors.of(StoreFailure.Kind.OUTCOME_UNKNOWN, "commit", e);
            }
            throw e;
        }
    }
}
