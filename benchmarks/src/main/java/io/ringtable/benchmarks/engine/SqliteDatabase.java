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
import org.sqlite.SQLiteConfig;

/**
 * Creates a database file. The naive queue's connection has the store's journal and durability, and SQLite's own
 * checkpoints.
 */
final class SqliteDatabase implements BenchmarkDatabase {
    private static final int CACHE_KIB = 32 * 1024; // as the store's
    private static final int AUTOCHECKPOINT_PAGES = 1_000; // SQLite's own default

    private static final int BUSY_MAX_MS = 60_000; // sessions in turn for the only write lock wait long

    private final Path directory;
    private final Path file;

    private SqliteDatabase(Path directory) {
        this.directory = directory;
        this.file = directory.resolve("ringtable.db");
    }

    static SqliteDatabase create(Path parent) {
        try {
            return new SqliteDatabase(Files.createTempDirectory(parent, "sqlite-"));
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
        return connect(SQLiteConfig.SynchronousMode.FULL);
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
    public String description() {
        StatementFiles<DatabaseStatement> files = new StatementFiles<>(engine(), DatabaseStatement.class);
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(files.sql(DatabaseStatement.DATABASE_DURABILITY))) {
            row.next();
            String journal = row.getString(2);
            int synchronous = row.getInt(3);
            if (!"wal".equals(journal) || synchronous < 2) {
                throw new IllegalStateException("journal_mode=" + journal + " synchronous=" + synchronous
                        + ": not durable, so its figures would not compare");
            }
            return "SQLite " + row.getString(1) + ", journal_mode=wal, synchronous=FULL; the naive queue with"
                    + " wal_autocheckpoint=" + AUTOCHECKPOINT_PAGES + ", the store with a checkpoint thread of its own";
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
