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
import org.sqlite.SQLiteDataSource;

/**
 * Lays a backup down as the store of a data directory. The store takes an epoch of its own at once, so that nothing
 * that was given out by the original or by another copy counts in it.
 * <p>
 * The lock of the store's file is held meanwhile, as a broker holds it. Thread: the caller's.
 */
final class SqliteRestore {
    private static final DateTimeFormatter ASIDE =
            DateTimeFormatter.ofPattern("'.aside-'yyyyMMdd'T'HHmmss.SSS'Z'").withZone(ZoneOffset.UTC);
    private static final String LOG = "-wal";

    private SqliteRestore() {}

    /**
     * Describes a store that lies in its place on disk.
     *
     * @param aside where the store of before is now; null = there was none
     */
    record Laid(Path file, long bytes, Path aside) {}

    /**
     * Lays the backup down.
     *
     * @param backup is not changed
     * @param store the file of the store; its directory is made if it is missing
     * @param mayMoveAside whether a store that is there gets another name; else it is refused
     */
    static Laid of(Path backup, Path store, boolean mayMoveAside, CopyListener listener) {
        if (!Files.isRegularFile(backup)) {
            throw new StoreFailure(
                    Kind.UNAVAILABLE,
                    "RT-3050",
                    "there is no backup at '" + backup.toAbsolutePath() + "': name the file of one");
        }
        try (SqliteFile held = SqliteFile.lock(store, "")) {
            Path path = held.path();
            boolean occupied = !held.isNew() || Files.exists(PartFile.beside(path, LOG));
            if (occupied && (!mayMoveAside || Files.isSameFile(backup, path))) {
                throw new StoreFailure(
                        Kind.NOT_WRITABLE,
                        "RT-3051",
                        "there is a store at '" + path + "' already: name another data directory, or add --move-aside,"
                                + " which gives that store another name, unless it is the backup itself");
            }
            try (PartFile part = PartFile.of(path)) {
                SqliteCopy.of(backup, part.path(), listener);
                listener.checking();
                SqliteCopy.seal(part.path(), SqliteStatement.COPY_CHECK_FULLY, copy -> own(copy, part.path(), backup));
                long bytes = Files.size(part.path());
                Path aside = occupied ? moveAside(path) : null;
                Files.deleteIfExists(path); // the empty file that its lock has made, or the store that has another name
                part.finish();
                return new Laid(path, bytes, aside);
            }
        } catch (IOException e) {
            throw PartFile.notWritable(store, e);
        }
    }

    /** Refuses a schema that a broker of this version would, and takes the next epoch. */
    private static void own(Connection copy, Path part, Path backup) throws SQLException {
        SQLiteDataSource source = new SQLiteDataSource();
        source.setUrl(SqliteFile.URL_PREFIX + part);
        new SchemaMigrations(SqliteDialect.ENGINE, null, source).check(copy);
        try (PreparedStatement acquire = copy.prepareStatement(SqliteCopy.sql(SqliteStatement.ACQUIRE_OWNER))) {
            acquire.setString(1, "");
            acquire.setString(2, "restored from " + backup);
            try (ResultSet epoch = acquire.executeQuery()) {
                epoch.next();
            }
        }
    }

    /**
     * Gives the store that is there another name, together with its log. The file and the log have both names first,
     * and lose the old ones then: an interruption leaves the store whole, under one of the names. The log goes last,
     * as SQLite deletes a log without its file.
     */
    private static Path moveAside(Path store) throws IOException {
        Path aside = PartFile.beside(store, ASIDE.format(Instant.now()));
        Path log = PartFile.beside(store, LOG);
        if (Files.exists(store)) {
            Files.createLink(aside, store);
        }
        if (Files.exists(log)) {
            Files.createLink(PartFile.beside(aside, LOG), log);
        }
        Files.deleteIfExists(store);
        Files.deleteIfExists(PartFile.beside(store, "-shm"));
        Files.deleteIfExists(log);
        return aside;
    }
}
