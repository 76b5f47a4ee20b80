package io.ringtable.benchmarks.engine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Creates empty databases by the engine's name. One PostgreSQL server serves all databases of a run. None of SQL Server
 * is started: the system property {@code bench.sqlserver.url} names it.
 * <p>
 * System property {@code bench.dir}: directory on the disk to measure (default: that of temporary files). Thread: any.
 */
public final class Databases implements AutoCloseable {
    public static final String SQLITE = "sqlite";
    public static final String POSTGRESQL = "postgresql";
    public static final String SQLSERVER = "sqlserver";
    /** Engines that are there without any setting. */
    public static final List<String> ENGINES = List.of(SQLITE, POSTGRESQL);

    private final Path directory;
    private final boolean synced;
    private PostgresServer postgres; // started when first asked for
    private SqlserverServer sqlserver; // found when first asked for

    /** Opens databases that sync every commit. */
    public Databases() {
        this(true, usualParent());
    }

    private Databases(boolean synced, Path parent) {
        this.synced = synced;
        try {
            Files.createDirectories(parent);
            directory = Files.createTempDirectory(parent, "ringtable-bench-");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Opens databases that never sync, to show that their figures are marked. */
    public static Databases unsynced() {
        return new Databases(false, usualParent());
    }

    /** Opens databases in a directory of this one. */
    static Databases in(Path parent) {
        return new Databases(true, parent);
    }

    private static Path usualParent() {
        return Path.of(System.getProperty("bench.dir", System.getProperty("java.io.tmpdir")));
    }

    public Path directory() {
        return directory;
    }

    /** Creates an empty database; closing it removes it. */
    public synchronized BenchmarkDatabase create(String engine) {
        return switch (engine) {
            case SQLITE -> SqliteDatabase.create(directory, synced);
            case POSTGRESQL -> postgres().create();
            case SQLSERVER -> sqlserver().create();
            default ->
                throw new IllegalArgumentException("engine=" + engine + " is none of " + ENGINES + " and " + SQLSERVER);
        };
    }

    private PostgresServer postgres() {
        if (postgres == null) {
            postgres = PostgresServer.start(directory, synced);
        }
        return postgres;
    }

    private SqlserverServer sqlserver() {
        if (sqlserver == null) {
            sqlserver = SqlserverServer.find(directory);
        }
        return sqlserver;
    }

    @Override
    public synchronized void close() {
        if (postgres != null) {
            postgres.close();
        }
        delete(directory);
    }

    static void delete(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
