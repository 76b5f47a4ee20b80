package io.ringtable.broker.store.sqlite;

import io.ringtable.broker.store.directory.DirectoryStore;
import io.ringtable.broker.store.directory.HomeChange;
import io.ringtable.broker.store.directory.HomeRow;
import io.ringtable.broker.store.jdbc.Rows;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Changes the directory in the file of shard 0. Thread: the holder of the store's write lock. */
final class SqliteDirectory {
    private final SqliteTransaction transaction;

    SqliteDirectory(SqliteTransaction transaction) {
        this.transaction = transaction;
    }

    DirectoryStore.Answer alter(List<HomeChange> changes) throws SQLException {
        return transaction.run(() -> {
            long version = version();
            boolean isApplied = areAsKnown(changes);
            if (isApplied) {
                version++;
                apply(changes, version);
            }
            return new DirectoryStore.Answer(isApplied, version, rows(changes));
        });
    }

    private long version() throws SQLException {
        try (ResultSet row =
                transaction.prepared(SqliteStatement.ALTER_DIRECTORY_VERSION).executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }

    private boolean areAsKnown(List<HomeChange> changes) throws SQLException {
        for (HomeChange change : changes) {
            try (ResultSet row =
                    bindKey(SqliteStatement.ALTER_DIRECTORY_FIND, change.row()).executeQuery()) {
                if ((row.next() ? row.getLong(1) : 0) != change.row().version()) {
                    return false;
                }
            }
        }
        return true;
    }

    private void apply(List<HomeChange> changes, long version) throws SQLException {
        boolean removes = false;
        for (HomeChange change : changes) {
            removes |= change.isRemoval();
            SqliteStatement statement =
                    change.isRemoval() ? SqliteStatement.ALTER_DIRECTORY_REMOVE : SqliteStatement.ALTER_DIRECTORY_PUT;
            PreparedStatement update = bindKey(statement, change.row());
            if (!change.isRemoval()) {
                update.setString(4, Rows.kindOrEmpty(change.row()));
                update.setInt(5, change.row().shard());
                update.setString(6, change.row().owner());
                update.setString(7, Rows.state(change));
                update.setLong(8, version);
                update.setInt(9, change.row().next());
            }
            SqliteTransaction.expectOne(statement, update.executeUpdate());
        }
        transaction.updateOne(SqliteStatement.ALTER_DIRECTORY_RAISE, version, removes ? 1 : 0);
    }

    private PreparedStatement bindKey(SqliteStatement statement, HomeRow row) throws SQLException {
        PreparedStatement bound = transaction.prepared(statement);
        bound.setString(1, Rows.scope(row));
        bound.setString(2, row.name());
        bound.setInt(3, row.part());
        return bound;
    }

    /** Returns the rows of each name once. */
    private List<HomeRow> rows(List<HomeChange> changes) throws SQLException {
        Map<String, HomeRow> names = new LinkedHashMap<>();
        changes.forEach(change ->
                names.putIfAbsent(Rows.scope(change.row()) + " " + change.row().name(), change.row()));
        List<HomeRow> all = new ArrayList<>();
        PreparedStatement select = transaction.prepared(SqliteStatement.ALTER_DIRECTORY_ROWS);
        for (HomeRow name : names.values()) {
            select.setString(1, Rows.scope(name));
            select.setString(2, name.name());
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    all.add(Rows.home(rows, 1));
                }
            }
        }
        return all;
    }
}
