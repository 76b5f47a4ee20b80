package io.ringtable.broker.store.sqlite.copy;

import io.ringtable.broker.ring.ShardIds;
import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.StoreFailure.Kind;
import io.ringtable.broker.store.sqlite.SqliteStatement;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.sqlite.SQLiteConfig;

/**
 * Tells the files of one backup from those of others, and how many there are: a number in the header of each. A store
 * has 0 there, and so has a backup that was made before stores had several files.
 *
 * @param number the lower 11 bits say how many files, the 20 above them are random
 */
record BackupSet(int number) {
    private static final int COUNT_BITS = 11; // up to 1,024 files
    private static final int RANDOM_BITS = 20;

    /** Makes the number of a new backup. */
    static BackupSet of(int files) {
        return new BackupSet(ThreadLocalRandom.current().nextInt(1 << RANDOM_BITS) << COUNT_BITS | files);
    }

    /** Returns how many files the backup has; 0 = it does not say. */
    int files() {
        return number & (1 << COUNT_BITS) - 1;
    }

    /**
     * Returns all files of a backup, that of shard 0 first.
     *
     * @param first the file that was named; a store is taken as it lies there
     * @throws StoreFailure if one is missing, or is of another backup
     */
    static List<Path> filesOf(Path first) {
        BackupSet set = in(first);
        List<Path> files = ShardFiles.of(first, set.files() == 0 ? ShardFiles.count(first) : set.files());
        for (Path file : files) {
            if (!Files.isRegularFile(file)) {
                throw new StoreFailure(
                        Kind.UNAVAILABLE,
                        "RT-3082",
                        "'" + first + "' is one of " + files.size() + " files, one for each shard, and '" + file
                                + "' is not there: put all into one directory, under the backup's names");
            }
            BackupSet other = in(file);
            if (!other.equals(set)) {
                throw new StoreFailure(
                        Kind.CORRUPT,
                        "RT-3083",
                        "'" + file + "' is of another backup than '" + first
                                + "': put the files of one backup into one directory");
            }
        }
        return files;
    }

    private static BackupSet in(Path file) {
        SQLiteConfig config = new SQLiteConfig();
        config.setReadOnly(true);
        try (Connection connection = SqliteCopy.connect(file, config);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(SqliteCopy.sql(SqliteStatement.COPY_SET))) {
            row.next();
            int number = row.getInt(1);
            // A foreign database is refused later, with its name.
            return new BackupSet((number & (1 << COUNT_BITS) - 1) > ShardIds.SHARD_MAX + 1 ? 0 : number);
        } catch (SQLException e) {
            throw SqliteCopy.failed("reading '" + file + "'", e);
        }
    }
}
