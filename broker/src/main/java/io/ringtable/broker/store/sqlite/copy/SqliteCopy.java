package io.ringtable.broker.store.sqlite.copy;

import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.StoreFailure.Kind;
import io.ringtable.broker.store.jdbc.SchemaMigrations;
import io.ringtable.broker.store.jdbc.SqlAction;
import io.ringtable.broker.store.jdbc.StatementFiles;
import io.ringtable.broker.store.jdbc.StoreErrors;
import io.ringtable.broker.store.sqlite.SqliteDialect;
import io.ringtable.broker.store.sqlite.SqliteFile;
import io.ringtable.broker.store.sqlite.SqliteStatement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteDataSource;
import org.sqlite.SQLiteErrorCode;

/**
 * Copies a store page by page, as of one commit, while a broker writes it (ADR 33).
 * <p>
 * The copy reads a snapshot. Writers go on beside it; the log only cannot begin anew before the copy has ended. Without
 * a snapshot that its connection has open already, SQLite would begin the copy anew with every commit of another
 * process.
 * <p>
 * Thread: the caller's. Failure: {@link StoreFailure}; the file that was copied into is the caller's to delete.
 */
final class SqliteCopy {
    private static final StatementFiles<SqliteStatement> STATEMENTS =
            new StatementFiles<>(SqliteDialect.ENGINE, SqliteStatement.class);

    private static final int PAGES_PER_STEP = 1024; // 4 MiB between two calls of the listener
    private static final int BUSY_PAUSE_MS = 50;
    private static final int BUSY_PAUSES_MAX = SqliteDialect.BUSY_TIMEOUT_MS / BUSY_PAUSE_MS;

    private SqliteCopy() {}

    /**
     * Copies the source into an empty file.
     *
     * @param source is not changed, but SQLite lays a log and its index beside a store that is not open
     * @return an instant: everything that had been committed by then is in the copy
     */
    static Instant of(Path source, Path into, CopyListener listener) {
        SQLiteConfig config = new SQLiteConfig();
        config.setReadOnly(true);
        try (Connection connection = connect(source, config);
                Statement statement = connection.createStatement()) {
            if (SchemaMigrations.refuseForeign(connection, null)) {
                throw new StoreFailure(
                        Kind.UNSUPPORTED, "RT-3043", "'" + source + "' is empty: there is nothing in it to copy");
            }
            Instant before = Instant.now();
            statement.execute(STATEMENTS.sql(SqliteStatement.READ_BEGIN));
            try (ResultSet shard = statement.executeQuery(STATEMENTS.sql(SqliteStatement.CHECK_OWNER))) {
                shard.next(); // takes the snapshot
            }
            try (ResultSet size = statement.executeQuery(STATEMENTS.sql(SqliteStatement.COPY_SIZE))) {
                size.next();
                refuseWithoutRoom(bytes(size.getInt(1)), into);
            }
            copy(connection, source, into, listener);
            statement.execute(STATEMENTS.sql(SqliteStatement.READ_END));
            return before;
        } catch (SQLException e) {
            throw failed("reading '" + source + "'", e);
        }
    }

    private static void copy(Connection connection, Path source, Path into, CopyListener listener) throws SQLException {
        int code = connection
                .unwrap(SQLiteConnection.class)
                .getDatabase()
                .backup(
                        "main",
                        into.toString(),
                        (remaining, pages) -> listener.copied(bytes(pages - remaining), bytes(pages)),
                        BUSY_PAUSE_MS,
                        BUSY_PAUSES_MAX,
                        PAGES_PER_STEP);
        SQLiteErrorCode error = SQLiteErrorCode.getErrorCode(code);
        if (SQLiteErrorCode.getErrorCode(code & 0xff) == SQLiteErrorCode.SQLITE_FULL) {
            throw noRoom(into, "the disk became full");
        }
        if (error != SQLiteErrorCode.SQLITE_OK) {
            throw new StoreFailure(
                    Kind.NOT_WRITABLE,
                    "RT-3044",
                    "copying '" + source + "' to '" + into + "' failed: " + error
                            + "; is the disk of the one readable, and that of the other writable?");
        }
    }

    private static long bytes(int pages) {
        return (long) pages * SqliteDialect.PAGE_BYTES;
    }

    private static void refuseWithoutRoom(long needed, Path into) {
        long free;
        try {
            free = Files.getFileStore(into).getUsableSpace();
        } catch (IOException e) {
            return; // the copy itself finds out
        }
        if (free < needed) {
            throw noRoom(into, needed + " bytes are needed, " + free + " are free");
        }
    }

    private static StoreFailure noRoom(Path into, String why) {
        return new StoreFailure(
                Kind.NOT_WRITABLE,
                "RT-3046",
                "there is no room for '" + into + "': " + why + "; free some, or name a place on another disk");
    }

    /**
     * Makes a copy a file that stands alone, and reads all of it again.
     *
     * @param check how thoroughly
     * @param change runs first, in auto-commit
     */
    static void seal(Path copy, SqliteStatement check, SqlAction<Connection> change) {
        SQLiteConfig config = new SQLiteConfig();
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

    private static StoreFailure failed(String doing, SQLException e) {
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

    private static Connection connect(Path file, SQLiteConfig config) throws SQLException {
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
