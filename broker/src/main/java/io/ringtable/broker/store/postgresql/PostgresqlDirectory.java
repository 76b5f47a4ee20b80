package io.ringtable.broker.store.postgresql;

import io.ringtable.broker.store.directory.DirectoryStore;
import io.ringtable.broker.store.directory.HomeChange;
import io.ringtable.broker.store.jdbc.Rows;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;

/** Calls the function that changes the directory. Thread: the caller's, on a connection from the pool. */
final class PostgresqlDirectory {
    private PostgresqlDirectory() {}

    static DirectoryStore.Answer alter(Connection connection, String sql, List<HomeChange> changes)
            throws SQLException {
        try (PreparedStatement call = connection.prepareStatement(sql)) {
            bind(call, 1, "text", changes, change -> Rows.scope(change.row()));
            bind(call, 2, "text", changes, change -> change.row().name());
            bind(call, 3, "int4", changes, change -> change.row().part());
            bind(call, 4, "text", changes, change -> Rows.kindOrEmpty(change.row()));
            bind(call, 5, "int4", changes, change -> change.row().shard());
            bind(call, 6, "text", changes, change -> change.row().owner());
            bind(call, 7, "text", changes, Rows::state);
            bind(call, 8, "int8", changes, change -> change.row().version());
            bind(call, 9, "int4", changes, change -> change.row().next());
            try (ResultSet rows = call.executeQuery()) {
                return Rows.directoryAnswer(rows);
            }
        }
    }

    /** Binds one column of the changes as an array. */
    private static void bind(
            PreparedStatement call,
            int parameter,
            String type,
            List<HomeChange> changes,
            Function<HomeChange, Object> column)
            throws SQLException {
        call.setArray(
                parameter,
                call.getConnection()
                        .createArrayOf(type, changes.stream().map(column).toArray()));
    }
}
