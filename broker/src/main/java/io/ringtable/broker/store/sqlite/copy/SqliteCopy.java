package io.ringtable.broker.store.sqlite.copy;

import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.StoreFailure.Kind;
import io.ringtable.broker.store.jdbc.SqlAction;
import io.ringtable.broker.store.jdbc.StatementFiles;
import io.ringtable.broker.store.jdbc.StoreErrors;
import io.ringtable.broker.store.sqlite.SqliteDialect;
import io.ringtable.broker.store.sqlite.SqliteFile;
import io.ringtable.broker.store.sqlite.SqliteStatement;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;

/**
 * Makes a copy of a file's pages a store or a backup, and says what went wrong with a file.
 * <p>
 * Thread: the caller's. Failure: {@link StoreFailure}; the copy is the caller's to delete.
 */
final class SqliteCopy {
    private static final StatementFiles<SqliteStatement> STATEMENTS =
            new StatementFiles<>(SqliteDialect.ENGINE, SqliteStatement.class);

    private SqliteCopy() {}

    /**
     * Makes a copy a file that stands alone, and reads all of it again.
     *
     * @param set number that the file keeps, of its {@link BackupSet}; 0 = it is a store
     * @param check how thoroughly
     * @param change runs first, in auto-commit
     */
    static void seal(Path copy, int set, SqliteStatement check, SqlAction<Connection> change) {
        SQLiteConfig config = new SQLiteConfig();
        config.setUserVersion(set);
        config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
        try (Connection connection = connect(copy, config);
                Statement statement = connection.createStatement()) {
            change.on(connection);
            statement.execute(STATEMENTS.sql(SqliteStatement.COPY_JOURNAL));
            try (ResultSet answer = statement.executeQuery(STATEMENTS.sql(check))) {
                answer.next();
                if (!"ok".equals(answer.getString(1))) {
                    throw damaged("checking '" + copy + "'", answer.getString(1));
                }
            }
        } catch (SQLException e) {
            throw failed("checking '" + copy + "'", e);
        }
    }

    static StoreFailure failed(String doing, SQLException e) {
        Kind kind = SqliteDialect.kindOf(e);
        return kind == Kind.CORRUPT ? damaged(doing, e.getMessage()) : StoreErrors.of(kind, doing, e);
    }

    private static StoreFailure damaged(String doing, String why) {
        return new StoreFailure(
                Kind.CORRUPT,
                "RT-3047",
                doing + " found damage, which a copy has from its original: " + why.strip()
                        + "; the copy is deleted: keep the original, and look for an earlier backup");
    }

    static Connection connect(Path file, SQLiteConfig config) throws SQLException {
        config.setBusyTimeout(SqliteDialect.BUSY_TIMEOUT_MS);
        SQLiteDataSource source = new SQLiteDataSource(config);
        source.setUrl(SqliteFile.URL_PREFIX + file);
        return source.getConnection();
    }

    /** Returns the text of a statement of the engine. */
    static String sql(SqliteStatement statement) {
        return STATEMENTS.sql(statement);
    }
}
