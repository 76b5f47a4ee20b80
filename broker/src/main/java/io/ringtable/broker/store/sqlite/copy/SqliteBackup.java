package io.ringtable.broker.store.sqlite.copy;

import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.StoreFailure.Kind;
import io.ringtable.broker.store.sqlite.SqliteStatement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/**
 * Makes a backup of a store: one file for each shard, whole and checked, all as of one moment. A broker may write the
 * store meanwhile, end or be killed; the backup is the same. Thread: the caller's.
 */
final class SqliteBackup {
    private SqliteBackup() {}

    /**
     * Describes a backup that lies under its name on disk.
     *
     * @param file that of shard 0; the others lie beside it
     * @param files how many there are
     * @param bytes of all files
     * @param asOf everything that was accepted by then is in it
     */
    record Made(Path file, int files, long bytes, Instant asOf) {}

    /**
     * Makes the backup.
     *
     * @param store the file of shard 0; those of other shards are found beside it. None is changed
     * @param target gets the backup when it is complete, with the files of other shards beside it; nothing may have
     *     these names
     */
    static Made of(Path store, Path target, CopyListener listener) {
        List<Path> files = filesOf(store);
        List<Path> targets = ShardFiles.of(target, files.size());
        for (Path each : targets) {
            if (Files.exists(each, LinkOption.NOFOLLOW_LINKS)) {
                throw PartFile.exists(each, null);
            }
        }
        try (PartFiles parts = PartFiles.of(targets);
                SqliteSnapshots snapshots = SqliteSnapshots.open(files)) {
            Instant asOf = snapshots.take();
            snapshots.copy(parts.paths(), listener);
            listener.checking();
            BackupSet set = BackupSet.of(files.size());
            for (Path part : parts.paths()) {
                SqliteCopy.seal(part, set.number(), SqliteStatement.COPY_CHECK, connection -> {});
            }
            long bytes = parts.bytes();
            parts.finish();
            return new Made(target, files.size(), bytes, asOf);
        } catch (IOException e) {
            throw PartFile.notWritable(target, e);
        }
    }

    private static List<Path> filesOf(Path store) {
        if (!Files.isRegularFile(store)) {
            throw new StoreFailure(
                    Kind.UNAVAILABLE,
                    "RT-3048",
                    "there is no store at '" + store.toAbsolutePath() + "': name the broker's data directory (a store"
                            + " on a database server is in that server's own backup)");
        }
        List<Path> files = ShardFiles.of(store, ShardFiles.count(store));
        for (Path file : files) {
            if (!Files.isRegularFile(file)) {
                throw new StoreFailure(
                        Kind.UNAVAILABLE,
                        "RT-3080",
                        "the store has " + files.size() + " shards, each in a file, and '" + file
                                + "' is not there: nothing was copied. Move the file back, or start the broker if it"
                                + " never ran with so many shards");
            }
        }
        return files;
    }
}
