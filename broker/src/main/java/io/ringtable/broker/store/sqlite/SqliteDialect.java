package io.ringtable.broker.store.sqlite;

import io.ringtable.broker.ring.RingGeometry;
import io.ringtable.broker.store.StoreFailure.Kind;
import io.ringtable.broker.store.StoreLimits;
import io.ringtable.broker.store.jdbc.Dialect;
import io.ringtable.broker.store.jdbc.SchemaMigrations;
import io.ringtable.broker.store.jdbc.StatementFiles;
import io.ringtable.broker.store.jdbc.StoreErrors;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.util.Locale;
import javax.sql.DataSource;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteDataSource;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;
import org.sqlite.SQLiteOpenMode;

/** Sets connections to the file up, and knows what its error codes mean. Thread: any. */
public final class SqliteDialect implements Dialect {
    public static final String ENGINE = "sqlite";
    /** Needs STRICT tables (3.37) and {@code unixepoch('subsec')} (3.42). */
    static final String VERSION_MIN = "3.42";

    /**
     * Limits the bodies that are not staged. A flush holds the write lock while it copies its bodies, about 1 ms per
     * MiB here. At 32 KiB, a full flush of 2,000 copies 62 MiB at the very worst. A body takes at most 9 pages beside
     * its row's. Larger bodies gain nothing by saving the second transaction: it costs one sync, 0.1 ms, less than
     * writing 32 KiB.
     */
    static final int INLINE_BYTES_MAX = 32 * 1024;

    static final int FLUSH_MESSAGES_MAX = RingGeometry.CAPACITY_STEP / 2; // half of the smallest ring
    public static final int PAGE_BYTES = 4096; // SQLite's log has pages, no blocks
    private static final int SYNCHRONOUS_FULL = 2;
    public static final int BUSY_TIMEOUT_MS = 5_000; // only for foreign connections to the same file
    private static final int CHECKPOINT_BUSY_TIMEOUT_MS = 50; // our own reads are far shorter

    /**
     * Bounds the length of the log's file. While a backup reads its snapshot the log cannot begin anew, and grows.
     * Afterwards the first commit of a log that begins anew cuts the file to this. The length is twice what checkpoints
     * allow the log, so that no other commit cuts anything: a log that has its length already syncs faster.
     */
    static final int LOG_BYTES_KEPT = 128 << 20;

    private static final int WRITER_CACHE_KIB =
            32 * 1024; // a bound; holds the pages of a ring of 65,536 small messages
    private static final int CACHE_KIB = 2 * 1024; // each commit empties the caches of all other connections anyway

    /** Reads dozens of files once in a process, which may open many stores. */
    private static final StatementFiles<SqliteStatement> STATEMENTS =
            new StatementFiles<>(ENGINE, SqliteStatement.class);

    private final SQLiteDataSource dataSource;
    private final SQLiteDataSource writerDataSource;
    private final SqliteFile file;

    SqliteDialect(SqliteFile file) {
        this.file = file;
        dataSource = dataSource(BUSY_TIMEOUT_MS, CACHE_KIB);
        writerDataSource = dataSource(BUSY_TIMEOUT_MS, WRITER_CACHE_KIB);
    }

    private SQLiteDataSource dataSource(int busyTimeoutMs, int cacheKib) {
        SQLiteConfig config = new SQLiteConfig();
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        config.setSynchronous(SQLiteConfig.SynchronousMode.FULL);
        config.setWalAutocheckpoint(0); // SqliteCheckpoints does it beside the writer, not inside its commit
        config.setJournalSizeLimit(LOG_BYTES_KEPT);
        config.setBusyTimeout(busyTimeoutMs);
        config.setCacheSize(-cacheKib); // negative: KiB, not pages
        config.enforceForeignKeys(true);
        // One thread at a time uses a connection (and the driver locks it as well). SQLite's own mutex, taken at every
        // bind, would cost 8 % of a flush.
        config.setOpenMode(SQLiteOpenMode.NOMUTEX);
        SQLiteDataSource source = new SQLiteDataSource(config);
        source.setUrl(file.url());
        return source;
    }

    /** Returns the source for the thread that keeps writers waiting meanwhile: its connection gives up soon. */
    DataSource checkpointDataSource() {
        return dataSource(CHECKPOINT_BUSY_TIMEOUT_MS, CACHE_KIB);
    }

    StatementFiles<SqliteStatement> statements() {
        return STATEMENTS;
    }

    @Override
    public String place() {
        return "'" + file.path() + "'";
    }

    @Override
    public String engine() {
        return ENGINE;
    }

    @Override
    public DataSource dataSource() {
        return dataSource;
    }

    @Override
    public DataSource writerDataSource() {
        return writerDataSource;
    }

    /** Checks an existing file before anything configures it, for that would change it. */
    void refuseForeign() {
        if (file.isNew()) {
            return;
        }
        SQLiteConfig config = new SQLiteConfig();
        config.setReadOnly(true);
        SQLiteDataSource readOnly = new SQLiteDataSource(config);
        readOnly.setUrl(file.url());
        try (Connection connection = readOnly.getConnection()) {
            SchemaMigrations.refuseForeign(connection, null);
        } catch (SQLException e) {
            throw StoreErrors.of(classify(e), "opening '" + file.path() + "'", e);
        }
    }

    @Override
    public String historyRows() {
        return STATEMENTS.sql(SqliteStatement.VERIFY_SCHEMA);
    }

    @Override
    public StoreLimits verify(Connection connection) throws SQLException {
        String version = ask(connection, SqliteStatement.VERIFY_VERSION);
        if (compareVersions(version, VERSION_MIN) < 0) {
            throw StoreErrors.unsupported(
                    "RT-3002", "SQLite " + version + " is too old; supported are " + VERSION_MIN + " and newer");
        }
        String journal = ask(connection, SqliteStatement.VERIFY_JOURNAL_MODE);
        String synchronous = ask(connection, SqliteStatement.VERIFY_SYNCHRONOUS);
        if (!"wal".equals(journal.toLowerCase(Locale.ROOT)) || Integer.parseInt(synchronous) < SYNCHRONOUS_FULL) {
            throw StoreErrors.unsupported(
                    "RT-3023",
                    "'" + file.path() + "' has journal_mode=" + journal + " and synchronous=" + synchronous
                            + " where durability needs wal and 2: set neither in ringtable.store.url. Put the file on"
                            + " a local file system that supports shared memory");
        }
        return new StoreLimits("SQLite " + version, INLINE_BYTES_MAX, FLUSH_MESSAGES_MAX, PAGE_BYTES, true, null, null);
    }

    @Override
    public Kind classify(SQLException failure) {
        return kindOf(failure);
    }

    /** Says what a failure of the driver means. */
    public static Kind kindOf(SQLException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLiteException sqlite) {
                return classify(sqlite.getResultCode());
            }
        }
        return failure instanceof SQLTransientConnectionException || failure.getSQLState() == null
                ? Kind.UNAVAILABLE
                : Kind.CORRUPT;
    }

    private static Kind classify(SQLiteErrorCode code) {
        // An extended code carries its primary code in its lowest byte.
        SQLiteErrorCode primary = SQLiteErrorCode.getErrorCode(code.code & 0xff);
        return switch (primary) {
            case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_INTERRUPT, SQLITE_NOMEM, SQLITE_PROTOCOL, SQLITE_SCHEMA ->
                Kind.RETRYABLE;
            case SQLITE_CONSTRAINT, SQLITE_TOOBIG, SQLITE_MISMATCH -> Kind.REFUSED;
            case SQLITE_FULL, SQLITE_READONLY, SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH ->
                Kind.NOT_WRITABLE;
            case SQLITE_NOTADB -> Kind.UNSUPPORTED;
            default -> Kind.CORRUPT;
        };
    }

    private String ask(Connection connection, SqliteStatement statement) throws SQLException {
        try (Statement question = connection.createStatement();
                ResultSet answer = question.executeQuery(STATEMENTS.sql(statement))) {
            answer.next();
            return answer.getString(1);
        }
    }

    private static int compareVersions(String left, String right) {
        String[] l = left.split("\\.");
        String[] r = right.split("\\.");
        for (int i = 0; i < Math.min(l.length, r.length); i++) {
            int order = Integer.compare(Integer.parseInt(l[i]), Integer.parseInt(r[i]));
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }
}
