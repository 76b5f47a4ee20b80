package io.ringtable.broker.store.sqlite.copy;

import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.StoreFailure.Kind;
import io.ringtable.broker.store.sqlite.SqliteStatement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;

/**
 * Makes a backup of a store: one file, whole and checked, as of one commit. A broker may write the store meanwhile, end
 * or be killed; the backup is the same. Thread: the caller's.
 */
final class SqliteBackup {
    private SqliteBackup() {}

    /**
     * Describes a backup that lies under its name on disk.
     *
     * @param asOf everything that was accepted by then is in it
     */
    record Made(Path file, long bytes, Instant asOf) {}

    /**
     * Makes the backup.
     *
     * @param store the file of the store; it is not changed
     * @param target gets the backup when it is complete; nothing may have the name
     */
    static Made of(Path store, Path target, CopyListener listener) {
        if (!Files.isRegularFile(store)) {
            throw new StoreFailure(
                    Kind.UNAVAILABLE,
                    "RT-3048",
                    "there is no store at '" + store.toAbsolutePath() + "': name the broker's data directory (a store"
                            + " on a database server is in that server's own backup)");
        }
        if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
            throw PartFile.exists(target, null);
        }
        try (PartFile part = PartFile.of(target)) {
            Instant asOf = SqliteCopy.of(store, part.path(), listener);
            listener.checking();
            SqliteCopy.seal(part.path(), SqliteStatement.COPY_CHECK, connection -> {});
            long bytes = Files.size(part.path());
            part.finish();
            return new Made(target, bytes, asOf);
        } catch (IOException e) {
            throw PartFile.notWritable(target, e);
        }
    }
}
