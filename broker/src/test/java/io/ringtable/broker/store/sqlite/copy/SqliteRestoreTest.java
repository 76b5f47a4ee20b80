package io.ringtable.broker.store.sqlite.copy;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.store.StoreFailure.Kind;
import io.ringtable.broker.store.sqlite.SqliteTestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stores that are restored from a backup or copied by hand, beside their original. */
class SqliteRestoreTest {
    @TempDir(factory = TempDirFactory.Standard.class)
    private Path directory;

    private final CopySteps quiet = new CopySteps(() -> {});

    @Test
    void originalAndRestoredStoresTakeNoWriteOfEachOther() throws Exception {
        Path backup = directory.resolve("backup.db");
        try (QueueStore original = new QueueStore(directory.resolve("data"))) {
            original.publish(10);
            SqliteBackup.of(original.file(), backup, quiet);
            for (String name : List.of("a", "b")) {
                SqliteRestore.of(backup, directory.resolve(name).resolve("ringtable.db"), false, quiet);
            }
            try (QueueStore a = new QueueStore(directory.resolve("a"));
                    QueueStore b = new QueueStore(directory.resolve("b"))) {
                assertThat(List.of(a.epoch(), b.epoch())).allMatch(epoch -> epoch > original.epoch());
                for (QueueStore node : List.of(original, a, b)) {
                    for (QueueStore other : List.of(original, a, b)) {
                        if (node != other) {
                            fenced(() -> node.publish(1, other.epoch()));
                            fenced(() -> node.store().renew(other.epoch()));
                        }
                    }
                    node.hasExactly(10);
                }
            }
        }
    }

    /** Nobody knows of the restore who would take an epoch: the store has it already. */
    @Test
    void aRestoredStoreHasAnEpochOfItsOwnBeforeABrokerOpensIt() throws Exception {
        Path restored = directory.resolve("restored/ringtable.db");
        try (QueueStore original = new QueueStore(directory.resolve("data"))) {
            SqliteBackup.of(original.file(), directory.resolve("backup.db"), quiet);
            SqliteRestore.of(directory.resolve("backup.db"), restored, false, quiet);
            assertThat(epochIn(directory.resolve("backup.db"))).isEqualTo(original.epoch());
            assertThat(epochIn(restored)).isGreaterThan(original.epoch());
        }
    }

    /** The clock decides nothing here: it says an earlier time than the epoch that both copies have. */
    @Test
    void copiesMadeByHandTakeDifferentEpochsAlsoWhenTheClockWasSetBack() throws Exception {
        Path data = directory.resolve("data");
        try (QueueStore original = new QueueStore(data)) {
            original.publish(10);
        }
        long ahead = (System.currentTimeMillis() + Duration.ofDays(365).toMillis()) << 20;
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + data.resolve("ringtable.db"))) {
            SqliteTestDatabase.execute(connection, "UPDATE shard SET epoch = " + ahead);
        }
        CopiedFiles.copyStore(data, directory.resolve("copy"));
        try (QueueStore original = new QueueStore(data);
                QueueStore copy = new QueueStore(directory.resolve("copy"))) {
            assertThat(copy.epoch()).isNotEqualTo(original.epoch());
            assertThat(List.of(copy.epoch(), original.epoch())).allMatch(epoch -> epoch > ahead);
            fenced(() -> copy.publish(1, original.epoch()));
            fenced(() -> original.publish(1, copy.epoch()));
            original.hasExactly(10);
            copy.hasExactly(10);
        }
    }

    @Test
    void aStoreInUseIsNotRestoredOver() {
        Path backup = directory.resolve("backup.db");
        try (QueueStore original = new QueueStore(directory.resolve("data"))) {
            original.publish(10);
            SqliteBackup.of(original.file(), backup, quiet);
            assertThat(CopiedFiles.refused(() -> SqliteRestore.of(backup, original.file(), true, quiet)))
                    .hasMessageStartingWith("RT-3024 ")
                    .hasMessageContaining("in use by");
            original.publish(10);
            original.hasExactly(20);
        }
    }

    @Test
    void aStoreThatIsThereStaysOrIsMovedAsideWithItsLog() throws Exception {
        Path backup = directory.resolve("backup.db");
        Path killed = directory.resolve("killed");
        try (QueueStore original = new QueueStore(directory.resolve("data"))) {
            original.publish(10);
            SqliteBackup.of(original.file(), backup, quiet);
            original.publish(20);
            CopiedFiles.copyStore(original.data(), killed);
        }
        Path file = killed.resolve("ringtable.db");
        assertThat(CopiedFiles.refused(() -> SqliteRestore.of(backup, file, false, quiet)))
                .hasMessageStartingWith("RT-3051 ")
                .hasMessageContaining("--move-aside");
        assertThat(CopiedFiles.refused(() -> SqliteRestore.of(file, file, true, quiet)))
                .hasMessageStartingWith("RT-3051 ");

        Path aside = SqliteRestore.of(backup, file, true, quiet).aside();

        try (QueueStore restored = new QueueStore(killed)) {
            restored.hasExactly(10);
        }
        Path old = Files.createDirectory(directory.resolve("old")).resolve("ringtable.db");
        Files.move(aside, old);
        Files.move(PartFile.beside(aside, "-wal"), PartFile.beside(old, "-wal"));
        try (QueueStore before = new QueueStore(directory.resolve("old"))) {
            before.hasExactly(30);
        }
        assertThat(CopiedFiles.filesBeside(file)).containsExactly("ringtable.db", "ringtable.db.lock");
    }

    @Test
    void damageIsFoundBeforeAnythingHasItsFinalName() throws Exception {
        Path backup = directory.resolve("backup.db");
        try (QueueStore original = new QueueStore(directory.resolve("data"))) {
            original.publish(2_000);
            SqliteBackup.of(original.file(), backup, quiet);
        }
        byte[] bytes = Files.readAllBytes(backup);
        Arrays.fill(bytes, bytes.length / 2, bytes.length / 2 + 20_000, (byte) 0x5a);
        Path damaged = Files.write(directory.resolve("damaged.db"), bytes);
        Path restored = directory.resolve("restored/ringtable.db");

        assertThat(CopiedFiles.refused(() -> SqliteBackup.of(damaged, directory.resolve("copy.db"), quiet)))
                .hasMessageStartingWith("RT-3047 ");
        assertThat(CopiedFiles.refused(() -> SqliteRestore.of(damaged, restored, false, quiet)))
                .hasMessageStartingWith("RT-3047 ");

        assertThat(directory.resolve("copy.db")).doesNotExist();
        assertThat(Files.size(restored)).as("a new store").isZero();
        assertThat(CopiedFiles.filesBeside(restored)).containsExactly("ringtable.db", "ringtable.db.lock");
        SqliteRestore.of(backup, restored, false, quiet);
    }

    @ParameterizedTest
    @ValueSource(strings = {"CREATE TABLE customer (id INTEGER)", "SELECT 1", ""})
    void whatIsNoStoreIsNoBackup(String sql) throws Exception {
        Path strange = directory.resolve("strange.db");
        if (sql.isEmpty()) {
            Files.writeString(strange, "no database, but long enough to be read as the header of one ".repeat(20));
        } else {
            try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + strange)) {
                connection.createStatement().execute(sql);
            }
        }
        assertThat(CopiedFiles.refused(() -> SqliteBackup.of(strange, directory.resolve("backup.db"), quiet))
                        .kind())
                .isEqualTo(Kind.UNSUPPORTED);
        assertThat(CopiedFiles.refused(
                                () -> SqliteRestore.of(strange, directory.resolve("x/ringtable.db"), false, quiet))
                        .kind())
                .isEqualTo(Kind.UNSUPPORTED);
        assertThat(directory.resolve("backup.db")).doesNotExist();
    }

    @Test
    void aBackupOfANewerBrokerIsRefused() throws Exception {
        Path backup = directory.resolve("backup.db");
        try (QueueStore original = new QueueStore(directory.resolve("data"))) {
            SqliteBackup.of(original.file(), backup, quiet);
        }
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + backup)) {
            SqliteTestDatabase.execute(
                    connection,
                    "INSERT INTO ringtable_schema_history SELECT 900, '900', 'later', type, script, checksum,"
                            + " installed_by, installed_on, execution_time, success FROM ringtable_schema_history"
                            + " WHERE version = '001'");
        }
        assertThat(CopiedFiles.refused(
                        () -> SqliteRestore.of(backup, directory.resolve("x/ringtable.db"), false, quiet)))
                .hasMessageStartingWith("RT-3004 ")
                .hasMessageContaining("900");
    }

    private static long epochIn(Path file) throws Exception {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                var row = connection.createStatement().executeQuery("SELECT epoch FROM shard")) {
            row.next();
            return row.getLong(1);
        }
    }

    private static void fenced(Runnable call) {
        assertThat(CopiedFiles.refused(call).kind()).isEqualTo(Kind.FENCED);
    }
}
