package io.ringtable.broker.store.sqlserver;

import io.ringtable.broker.store.directory.DirectoryStore;
import io.ringtable.broker.store.directory.HomeChange;
import io.ringtable.broker.store.jdbc.Rows;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/** Calls the procedure that changes the directory. Thread: the caller's, on a connection from the pool. */
final class SqlserverDirectory {
    private SqlserverDirectory() {}

    static DirectoryStore.Answer alter(Connection connection, String sql, List<HomeChange> changes)
            throws SQLException {
        try (PreparedStatement call = connection.prepareStatement(sql)) {
            JsonList.bind(call, 1, changes.stream().map(SqlserverDirectory::row).toList());
            try (ResultSet rows = call.executeQuery()) {
                return Rows.directoryAnswer(rows);
            }
        }
    }

    /** Returns the change by the procedure's columns. */
    private static Map<String, Object> row(HomeChange change) {
        return Map.of(
                "scope", Rows.scope(change.row()),
                "name", change.row().name(),
                "part", change.row().part(),
                "kind", Rows.kindOrEmpty(change.row()),
                "shard_id", change.row().shard(),
                "owner", change.row().owner(),
                "state", Rows.state(change),
                "expected", change.row().version(),
                "next_shard_id", change.row().next());
    }
}
