package io.ringtable.broker.store.sqlite.copy;

import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.StoreFailure.Kind;
import io.ringtable.broker.store.jdbc.SchemaMigrations;
import io.ringtable.broker.store.sqlite.SqliteDialect;
import io.ringtable.broker.store.sqlite.SqliteStatement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.LongConsumer;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteErrorCode;

/**
 * Reads the file of one shard as of one commit, while a broker writes it (ADR 33).
 * <p>
 * Writers go on beside a snapshot; the log only cannot begin anew before it has ended. Without a snapshot that its
 * connection has open already, SQLite would begin a copy anew with every commit of another process.
 * <p>
 * Thread: the caller's. Failure: {@link StoreFailure}; the file that was copied into is the caller's to delete.
 */
final class SqliteSnapshot implements AutoCloseable {
    private static final int PAGES_PER_STEP = 1024; // 4 MiB between two calls of the listener
    private static final int BUSY_PAUSE_MS = 50;
    private static final int BUSY_PAUSES_MAX = SqliteDialect.BUSY_TIMEOUT_MS / BUSY_PAUSE_MS;

    private final Path source;
    private final Connection connection; // has the snapshot
    private final Connection watching; // has none, so it sees what is committed

    private SqliteSnapshot(Path source, Connection connection, Connection watching) {
        this.source = source;
        this.connection = connection;
        this.watching = watching;
    }

    /**
     * Opens the file, which has no snapshot yet.
     *
     * @param source is not changed, but SQLite lays a log and its index beside a store that is not open
     */
    static SqliteSnapshot open(Path source) {
        SQLiteConfig config = new SQLiteConfig();
        config.setReadOnly(true);
        try {
            Connection connection = SqliteCopy.connect(source, config);
            try {
                if (SchemaMigrations.refuseForeign(connection, null)) {
                    throw new StoreFailure(
                            Kind.UNSUPPORTED, "RT-3043", "'" + source + "' is empty: there is nothing in it to copy");
                }
                return new SqliteSnapshot(source, connection, SqliteCopy.connect(source, config));
            } catch (SQLException | RuntimeException e) {
                connection.close();
                throw e;
            }
        } catch (SQLException e) {
            throw SqliteCopy.failed("reading '" + source + "'", e);
        }
    }

    /** Takes the snapshot. */
    void take() {
        execute(SqliteStatement.READ_BEGIN);
        number(connection, SqliteStatement.CHECK_OWNER); // the first read takes it
    }

    /** Lets go of the snapshot. */
    void release() {
        execute(SqliteStatement.READ_END);
    }

    /** Returns a number that stays the same for as long as nobody commits. */
    int commits() {
        return (int) number(watching, SqliteStatement.COPY_COMMITS);
    }

    /** Returns how many bytes a copy of the snapshot has. */
    long bytes() {
        return bytes((int) number(connection, SqliteStatement.COPY_SIZE));
    }

    /**
     * Copies the snapshot into an empty file, and lets go of it.
     *
     * @param copied hears how many bytes are copied
     */
    void copy(Path into, LongConsumer copied) {
        refuseWithoutRoom(bytes(), into);
        try {
            int code = connection
                    .unwrap(SQLiteConnection.class)
                    .getDatabase()
                    .backup(
                            "main",
                            into.toString(),
                            (remaining, pages) -> copied.accept(bytes(pages - remaining)),
                            BUSY_PAUSE_MS,
                            BUSY_PAUSES_MAX,
                            PAGES_PER_STEP);
            check(code, into);
        } catch (SQLException e) {
            throw SqliteCopy.failed("reading '" + source + "'", e);
        }
        release();
    }

    private void check(int code, Path into) {
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

    private void execute(SqliteStatement statement) {
        try (Statement runs = connection.createStatement()) {
            runs.execute(SqliteCopy.sql(statement));
        } catch (SQLException e) {
            throw SqliteCopy.failed("reading '" + source + "'", e);
        }
    }

    private long number(Connection asked, SqliteStatement statement) {
        try (Statement runs = asked.createStatement();
                ResultSet row = runs.executeQuery(SqliteCopy.sql(statement))) {
            return row.next() ? row.getLong(1) : 0;
        } catch (SQLException e) {
            throw SqliteCopy.failed("reading '" + source + "'", e);
        }
    }

    /** Ends the snapshot, if there is one. */
    @Override
    public void close() {
        try {
            watching.close();
            connection.close();
        } catch (SQLException e) {
            throw SqliteCopy.failed("closing '" + source + "'", e);
        }
    }
}
