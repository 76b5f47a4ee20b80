package io.ringtable.broker.store.postgresql;

import io.ringtable.broker.store.jdbc.SqlWork;
import io.ringtable.broker.store.jdbc.StatementFiles;
import io.ringtable.broker.store.jdbc.StoreErrors;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Holds the writing connection, with its statements prepared once. In auto-commit, a call of a function and its commit
 * are one round trip; only the few verbs of several statements leave it.
 * <p>
 * Thread: the holder of the store's write lock.
 */
final class PostgresqlSession implements AutoCloseable {
    private final Connection connection;
    private final StatementFiles<PostgresqlStatement> files;
    private final int shardId;
    private final Map<PostgresqlStatement, PreparedStatement> prepared = new EnumMap<>(PostgresqlStatement.class);

    PostgresqlSession(Connection connection, StatementFiles<PostgresqlStatement> files, int shardId) {
        this.connection = connection;
        this.files = files;
        this.shardId = shardId;
    }

    int shardId() {
        return shardId;
    }

    /** Runs inside a transaction. */
    @FunctionalInterface
    interface Body<T> {
        T run() throws SQLException;
    }

    /** Runs several statements as one transaction; a failure leaves it open for {@link #rollback}. */
    <T> T transaction(Body<T> body) throws SQLException {
        connection.setAutoCommit(false);
        T result = body.run();
        connection.commit();
        connection.setAutoCommit(true);
        return result;
    }

    /** Returns the statement, prepared once for the life of the connection. */
    PreparedStatement prepared(PostgresqlStatement statement) throws SQLException {
        PreparedStatement known = prepared.get(statement);
        if (known == null) {
            known = connection.prepareStatement(files.sql(statement));
            prepared.put(statement, known);
        }
        return known;
    }

    /** Returns the statement with longs bound from its first parameter on. */
    PreparedStatement bind(PostgresqlStatement statement, long... values) throws SQLException {
        PreparedStatement bound = prepared(statement);
        for (int i = 0; i < values.length; i++) {
            bound.setLong(i + 1, values[i]);
        }
        return bound;
    }

    /** Returns the statement with the shard as its first parameter and longs after it. */
    PreparedStatement ofShard(PostgresqlStatement statement, long... values) throws SQLException {
        PreparedStatement bound = prepared(statement);
        bound.setInt(1, shardId);
        for (int i = 0; i < values.length; i++) {
            bound.setLong(i + 2, values[i]);
        }
        return bound;
    }

    /** Calls a function that answers nothing. */
    static void call(PreparedStatement bound) throws SQLException {
        try (ResultSet nothing = bound.executeQuery()) {
            nothing.next();
        }
    }

    static <T> List<T> all(PreparedStatement bound, SqlWork<ResultSet, T> row) throws SQLException {
        List<T> all = new ArrayList<>();
        try (ResultSet rows = bound.executeQuery()) {
            while (rows.next()) {
                all.add(row.on(rows));
            }
        }
        return all;
    }

    static void expectOne(PostgresqlStatement statement, long changed) {
        if (changed != 1) {
            throw StoreErrors.count(statement.name().toLowerCase(Locale.ROOT), 1, changed);
        }
    }

    void rollback() throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close(); // its statements go with it
    }
}
