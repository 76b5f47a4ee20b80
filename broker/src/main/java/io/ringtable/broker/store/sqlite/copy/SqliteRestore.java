package io.ringtable.broker.store.sqlite.copy;

import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.StoreFailure.Kind;
import io.ringtable.broker.store.jdbc.SchemaMigrations;
import io.ringtable.broker.store.sqlite.SqliteDialect;
import io.ringtable.broker.store.sqlite.SqliteFile;
import io.ringtable.broker.store.sqlite.SqliteStatement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import org.sqlite.SQLiteDataSource;

/**
 * Lays a backup down as the store of a data directory, all files of it or none. Each file takes an epoch of its own at
 * once. So nothing that the original or another copy gave out counts in it.
 * <p>
 * The locks of the store's files are held meanwhile, as a broker holds them. Thread: the caller's.
 */
final class SqliteRestore {
    private static final DateTimeFormatter ASIDE =
            DateTimeFormatter.ofPattern("'.aside-'yyyyMMdd'T'HHmmss.SSS'Z'").withZone(ZoneOffset.UTC);
    private static final String LOG = "-wal";

    private SqliteRestore() {}

    /**
     * Describes a store that lies in its place on disk.
     *
     * @param file that of shard 0; the others lie beside it
     * @param files how many there are
     * @param bytes of all files
     * @param aside where the store of before is now, by its first file; null = there was none
     */
    record Laid(Path file, int files, long bytes, Path aside) {}

    /**
     * Lays the backup down.
     *
     * @param backup the file of shard 0; those of other shards must lie beside it. None is changed
     * @param store the file of shard 0; its directory is made if it is missing
     * @param mayMoveAside whether a store that is there gets other names; else it is refused
     */
    static Laid of(Path backup, Path store, boolean mayMoveAside, CopyListener listener) {
        if (!Files.isRegularFile(backup)) {
            throw new StoreFailure(
                    Kind.UNAVAILABLE,
                    "RT-3050",
                    "there is no backup at '" + backup.toAbsolutePath() + "': name the file of one");
        }
        List<Path> backups = BackupSet.filesOf(backup);
        try (HeldFiles held = HeldFiles.lock(store, backups.size())) {
            List<Path> occupied = held.occupied();
            for (Path each : occupied) {
                refuse(each, backups, mayMoveAside);
            }
            List<Path> laid = held.paths().subList(0, backups.size());
            try (PartFiles parts = PartFiles.of(laid);
                    SqliteSnapshots snapshots = SqliteSnapshots.open(backups)) {
                snapshots.take();
                snapshots.copy(parts.paths(), listener);
                listener.checking();
                for (Path part : parts.paths()) {
                    SqliteCopy.seal(part, 0, SqliteStatement.COPY_CHECK_FULLY, copy -> own(copy, part, backup));
                }
                long bytes = parts.bytes();
                Path aside = moveAside(occupied);
                for (Path each : laid) {
                    Files.deleteIfExists(each); // the empty file that its lock has made
                }
                parts.finish();
                return new Laid(laid.get(0), laid.size(), bytes, aside);
            }
        } catch (IOException e) {
            throw PartFile.notWritable(store, e);
        }
    }

    private static void refuse(Path occupied, List<Path> backups, boolean mayMoveAside) throws IOException {
        boolean isBackup = false;
        for (Path backup : backups) {
            isBackup |= Files.exists(occupied) && Files.isSameFile(backup, occupied);
        }
        if (isBackup || !mayMoveAside) {
            throw new StoreFailure(
                    Kind.NOT_WRITABLE,
                    "RT-3051",
                    "there is a store at '" + occupied + "' already: name another data directory, or add --move-aside."
                            + " That gives the store another name, unless it is the backup itself");
        }
    }

    /** Holds the locks of all files of a store, those that the backup does not have too. */
    private record HeldFiles(List<SqliteFile> files) implements AutoCloseable {
        static HeldFiles lock(Path store, int least) {
            HeldFiles held = new HeldFiles(new ArrayList<>());
            try {
                List<Path> all = ShardFiles.of(store, Math.max(least, ShardFiles.count(store)));
                for (Path file : all) {
                    if (held.files.size() < least || Files.exists(file)) {
                        held.files.add(SqliteFile.lock(file, ""));
                    }
                }
                return held;
            } catch (RuntimeException e) {
                held.close();
                throw e;
            }
        }

        List<Path> paths() {
            return files.stream().map(SqliteFile::path).toList();
        }

        /** Returns the files that have something in them, or a log. */
        List<Path> occupied() {
            return files.stream()
                    .filter(file -> !file.isNew() || Files.exists(PartFile.beside(file.path(), LOG)))
                    .map(SqliteFile::path)
                    .toList();
        }

        @Override
        public void close() {
            files.forEach(SqliteFile::close);
        }
    }

    /** Refuses a schema that a broker of this version would, and takes the next epoch. */
    private static void own(Connection copy, Path part, Path backup) throws SQLException {
        SQLiteDataSource source = new SQLiteDataSource();
        source.setUrl(SqliteFile.URL_PREFIX + part);
        new SchemaMigrations(SqliteDialect.ENGINE, null, source, SqliteCopy.sql(SqliteStatement.VERIFY_SCHEMA))
                .check(copy);
        try (PreparedStatement acquire = copy.prepareStatement(SqliteCopy.sql(SqliteStatement.ACQUIRE_OWNER))) {
            acquire.setString(1, "");
            acquire.setString(2, "restored from " + backup);
            try (ResultSet epoch = acquire.executeQuery()) {
                epoch.next();
            }
        }
    }

    /**
     * Gives the files of the store that is there other names, together with their logs. Each file and its log have both
     * names first, and lose the old ones then. An interruption leaves the file whole, under one of the names. The log
     * goes last, as SQLite deletes a log without its file.
     *
     * @return the new name of the first; null = there is no store
     */
    private static Path moveAside(List<Path> store) throws IOException {
        String suffix = ASIDE.format(Instant.now());
        for (Path file : store) {
            Path aside = PartFile.beside(file, suffix);
            Path log = PartFile.beside(file, LOG);
            if (Files.exists(file)) {
                Files.createLink(aside, file);
            }
            if (Files.exists(log)) {
                Files.createLink(PartFile.beside(aside, LOG), log);
            }
            Files.deleteIfExists(file);
            Files.deleteIfExists(PartFile.beside(file, "-shm"));
            Files.deleteIfExists(log);
        }
        return store.isEmpty() ? null : PartFile.beside(store.get(0), suffix);
    }
}
