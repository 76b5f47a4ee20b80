package io.ringtable.broker.store.sqlserver;

import io.ringtable.broker.store.jdbc.SqlWork;
import io.ringtable.broker.store.jdbc.StatementFiles;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Holds the writing connection, with its calls prepared once. The connection is always in auto-commit: each verb is one
 * procedure call, which begins and ends its transaction itself.
 * <p>
 * Thread: the holder of the store's write lock.
 */
final class SqlserverSession implements AutoCloseable {
    private final Connection connection;
    private final StatementFiles<SqlserverStatement> files;
    private final int shardId;
    private final Map<SqlserverStatement, PreparedStatement> prepared = new EnumMap<>(SqlserverStatement.class);

    SqlserverSession(Connection connection, StatementFiles<SqlserverStatement> files, int shardId) {
        this.connection = connection;
        this.files = files;
        this.shardId = shardId;
    }

    /**
     * Returns the call with the shard as its first parameter and longs after it, prepared once for the life of the
     * connection.
     */
    PreparedStatement ofShard(SqlserverStatement statement, long... values) throws SQLException {
        PreparedStatement known = prepared.get(statement);
        if (known == null) {
            known = connection.prepareStatement(files.sql(statement));
            prepared.put(statement, known);
        }
        known.setInt(1, shardId);
        for (int i = 0; i < values.length; i++) {
            known.setLong(i + 2, values[i]);
        }
        return known;
    }

    /** Calls a procedure that returns nothing, and leaves no error of it unread. */
    static void call(PreparedStatement bound) throws SQLException {
        boolean rows = bound.execute();
        while (rows || bound.getUpdateCount() != -1) {
            rows = bound.getMoreResults();
        }
    }

    /** Calls a procedure that returns rows. */
    static <T> List<T> all(PreparedStatement bound, SqlWork<ResultSet, T> row) throws SQLException {
        List<T> all = new ArrayList<>();
        try (ResultSet rows = bound.executeQuery()) {
            while (rows.next()) {
                all.add(row.on(rows));
            }
        }
        return all;
    }

    void rollback() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(files.sql(SqlserverStatement.TRANSACTION_ROLLBACK));
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close(); // its statements go with it
    }
}
