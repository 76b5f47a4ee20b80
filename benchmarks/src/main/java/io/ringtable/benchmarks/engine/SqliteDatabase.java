package io.ringtable.benchmarks.engine;

import io.ringtable.broker.store.jdbc.StatementFiles;
import io.ringtable.broker.store.jdbc.StoreSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import org.sqlite.SQLiteConfig;

/**
 * Creates a database file. The naive queue's connection has the store's journal and durability, and SQLite's own
 * checkpoints.
 */
final class SqliteDatabase implements BenchmarkDatabase {
    private static final int CACHE_KIB = 32 * 1024; // as the store's
    private static final int AUTOCHECKPOINT_PAGES = 1_000; // SQLite's own default

    private static final int BUSY_MAX_MS = 60_000; // sessions in turn for the only write lock wait long

    private static final int FULL = 2; // of PRAGMA synchronous

    private final Path directory;
    private final Path file;
    private final boolean synced;

    private SqliteDatabase(Path directory, boolean synced) {
        this.directory = directory;
        this.file = directory.resolve("ringtable.db");
        this.synced = synced;
    }

    static SqliteDatabase create(Path parent, boolean synced) {
        try {
            return new SqliteDatabase(Files.createTempDirectory(parent, "sqlite-"), synced);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String engine() {
        return Databases.SQLITE;
    }

    @Override
    public StoreSettings settings() {
        return StoreSettings.embedded(directory);
    }

    @Override
    public Connection connect() throws SQLException {
        return connect(synced ? SQLiteConfig.SynchronousMode.FULL : SQLiteConfig.SynchronousMode.OFF);
    }

    @Override
    public Connection connectDelayed() throws SQLException {
        return connect(SQLiteConfig.SynchronousMode.NORMAL);
    }

    private Connection connect(SQLiteConfig.SynchronousMode synchronous) throws SQLException {
        SQLiteConfig config = new SQLiteConfig();
        config.setJournalMode(SQLiteConfig.JournalMode.WAL);
        config.setSynchronous(synchronous);
        config.setBusyTimeout(BUSY_MAX_MS);
        config.setCacheSize(-CACHE_KIB);
        config.setWalAutocheckpoint(AUTOCHECKPOINT_PAGES);
        return config.createConnection("jdbc:sqlite:" + file);
    }

    @Override
    public LogMeter logMeter() {
        return new SqliteLogMeter(file);
    }

    @Override
    public EngineMeter meter() {
        try {
            return new SqliteMeter(this);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns whether a session has the file open and has written. */
    boolean hasLog() {
        return Files.exists(file.resolveSibling(file.getFileName() + "-shm"));
    }

    Path file() {
        return file;
    }

    @Override
    public Optional<String> whyNotDurable(Connection session) throws SQLException {
        Settings settings = settings(session);
        return settings.synced()
                ? whyNotOnDisk()
                : Optional.of("journal_mode=" + settings.journal + " synchronous=" + settings.synchronous);
    }

    @Override
    public Optional<String> whyNotOnDisk() {
        return Durability.whyNotOnDisk(directory);
    }

    private static Settings settings(Connection session) throws SQLException {
        StatementFiles<DatabaseStatement> files = new StatementFiles<>(Databases.SQLITE, DatabaseStatement.class);
        try (Statement statement = session.createStatement();
                ResultSet row = statement.executeQuery(files.sql(DatabaseStatement.DATABASE_DURABILITY))) {
            row.next();
            return new Settings(row.getString(1), row.getString(2), row.getInt(3));
        }
    }

    /** Holds what decides durability; in WAL mode a commit is synced from {@code synchronous=FULL} on. */
    private record Settings(String version, String journal, int synchronous) {
        boolean synced() {
            return "wal".equals(journal) && synchronous >= FULL;
        }
    }

    @Override
    public String description() {
        try (Connection connection = connect()) {
            Settings settings = settings(connection);
            if (synced && !settings.synced()) {
                throw new IllegalStateException("journal_mode=" + settings.journal + " synchronous="
                        + settings.synchronous + ": not durable, so its figures would not compare");
            }
            return "SQLite " + settings.version + ", journal_mode=wal, synchronous="
                    + (settings.synchronous == FULL ? "FULL" : settings.synchronous)
                    + "; the naive queue with wal_autocheckpoint=" + AUTOCHECKPOINT_PAGES
                    + ", the store with a checkpoint thread of its own";
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Path directory() {
        return directory;
    }

    @Override
    public void close() {
        Databases.delete(directory);
    }
}
