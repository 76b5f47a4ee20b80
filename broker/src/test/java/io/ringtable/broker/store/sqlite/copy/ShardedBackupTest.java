package io.ringtable.broker.store.sqlite.copy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;

/** Backups of a store whose shards lie in a file each: all of one moment, and complete or refused. */
class ShardedBackupTest {
    private static final int SHARDS = 3;

    @TempDir(factory = TempDirFactory.Standard.class)
    private Path directory;

    private final CopySteps quiet = new CopySteps(() -> {});
    private List<QueueStore> original;
    private Path backup;

    @BeforeEach
    void open() throws Exception {
        original = open(directory.resolve("data"));
        backup = Files.createDirectory(directory.resolve("backups")).resolve("monday.db");
    }

    @AfterEach
    void close() {
        original.forEach(QueueStore::close);
        original = List.of();
    }

    private static List<QueueStore> open(Path data) {
        List<QueueStore> opened = new ArrayList<>();
        for (int shard = 0; shard < SHARDS; shard++) {
            opened.add(new QueueStore(data, shard));
        }
        return opened;
    }

    private Path file() {
        return directory.resolve("data/ringtable.db");
    }

    private Path restored() {
        return directory.resolve("restored/ringtable.db");
    }

    /** The restored store has so many messages in each shard. */
    private void restoredHasExactly(long... messages) {
        List<QueueStore> stores = open(restored().getParent());
        try {
            for (int shard = 0; shard < SHARDS; shard++) {
                stores.get(shard).hasExactly(messages[shard]);
                stores.get(shard).publish(1);
            }
        } finally {
            stores.forEach(QueueStore::close);
        }
    }

    @Test
    void aBackupHasAllShardsAndTheStoreGoesOnMeanwhile() throws Exception {
        for (int shard = 0; shard < SHARDS; shard++) {
            original.get(shard).publish(100 * (shard + 1));
        }
        List<Long> steps = new ArrayList<>();
        CopyListener publishing = new CopyListener() {
            @Override
            public void copied(long bytes, long total) {
                assertThat(bytes).isBetween(1L, total);
                steps.add(bytes);
                original.forEach(each -> each.publish(1));
            }

            @Override
            public void checking() {
                steps.add(Long.MAX_VALUE);
            }
        };

        SqliteBackup.Made made = SqliteBackup.of(file(), backup, publishing);

        assertThat(steps).as("of one bar").isSorted();
        assertThat(made.files()).isEqualTo(SHARDS);
        assertThat(CopiedFiles.filesBeside(backup))
                .containsExactly("monday-shard-1.db", "monday-shard-2.db", "monday.db");
        SqliteRestore.Laid laid = SqliteRestore.of(backup, restored(), false, quiet);
        assertThat(laid.files()).isEqualTo(SHARDS);
        restoredHasExactly(100, 200, 300);
    }

    /** A set has what is written between two of its snapshots in all files, or in none. */
    @Test
    void snapshotsWithACommitBetweenThemAreTakenAnew() throws Exception {
        int[] calls = {0};
        try (SqliteSnapshots snapshots = SqliteSnapshots.open(ShardFiles.of(file(), SHARDS))) {
            snapshots.take(Duration.ofSeconds(30), () -> {
                if (calls[0]++ == 1) { // the first two files have a snapshot, the third one has none
                    original.get(2).publish(1); // an answer to
                    original.get(0).publish(1); // what is over now
                }
            });
            assertThat(calls[0]).isEqualTo(2 * SHARDS);
            List<Path> copies = ShardFiles.of(directory.resolve("copy.db"), SHARDS);
            try (PartFiles parts = PartFiles.of(copies)) {
                snapshots.copy(parts.paths(), quiet);
                for (int shard : new int[] {0, 2}) {
                    assertThat(messagesIn(parts.paths().get(shard))).isEqualTo(1);
                }
            }
        }
    }

    private static long messagesIn(Path copy) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + copy);
                ResultSet row = connection.createStatement().executeQuery("SELECT count(*) FROM messages")) {
            row.next();
            return row.getLong(1);
        }
    }

    @Test
    void aStoreThatIsNeverStillForAMomentIsNotCopied() {
        try (SqliteSnapshots snapshots = SqliteSnapshots.open(ShardFiles.of(file(), SHARDS))) {
            assertThat(CopiedFiles.refused(() -> snapshots.take(
                            Duration.ofMillis(50), () -> original.get(0).publish(1))))
                    .hasMessageStartingWith("RT-3081 ");
        }
    }

    @Test
    void aBackupThatLacksAFileOrHasOneOfAnotherIsRefused() throws Exception {
        Path tuesday = directory.resolve("backups/tuesday.db");
        SqliteBackup.of(file(), backup, quiet);
        SqliteBackup.of(file(), tuesday, quiet);
        Path last = ShardFiles.of(backup, SHARDS).get(SHARDS - 1);
        Files.move(last, directory.resolve("forgotten.db"));

        assertThat(CopiedFiles.refused(() -> SqliteRestore.of(backup, restored(), false, quiet)))
                .hasMessageStartingWith("RT-3082 ")
                .hasMessageContaining("one of 3 files")
                .hasMessageContaining(last.toString());

        Files.copy(ShardFiles.of(tuesday, SHARDS).get(SHARDS - 1), last);
        assertThat(CopiedFiles.refused(() -> SqliteRestore.of(backup, restored(), false, quiet)))
                .hasMessageStartingWith("RT-3083 ")
                .hasMessageContaining(last.toString());
        assertThat(restored()).doesNotExist();

        SqliteRestore.of(tuesday, restored(), false, quiet);
        restoredHasExactly(0, 0, 0);
    }

    @Test
    void theProgramSaysHowManyShardsABackupHas() throws Exception {
        Process program = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        SqliteCopyProgram.class.getName(),
                        "backup",
                        file().toString(),
                        backup.toString(),
                        "0")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            List<String> said = program.inputReader().lines().toList();
            assertThat(said.get(said.size() - 1))
                    .startsWith("done " + backup + " with shards 0 to 2 in 3 files: ")
                    .contains(" bytes, checked, with everything that was accepted by ");
        } finally {
            program.destroyForcibly();
        }
    }

    @Test
    void aStoreThatLacksAFileIsNotCopied() throws Exception {
        close();
        Path missing = ShardFiles.of(file(), SHARDS).get(1);
        Files.move(missing, directory.resolve("elsewhere.db"));
        assertThat(CopiedFiles.refused(() -> SqliteBackup.of(file(), backup, quiet)))
                .hasMessageStartingWith("RT-3080 ")
                .hasMessageContaining(missing.toString());
        assertThat(CopiedFiles.filesBeside(backup)).isEmpty();
    }

    @Test
    void noFileOfABackupOverwritesAnother() throws Exception {
        Path taken = Files.writeString(ShardFiles.of(backup, SHARDS).get(2), "mine");
        assertThat(CopiedFiles.refused(() -> SqliteBackup.of(file(), backup, quiet)))
                .hasMessageStartingWith("RT-3040 ")
                .hasMessageContaining(taken.toString());
        assertThat(CopiedFiles.filesBeside(backup)).containsExactly("monday-shard-2.db");
        assertThat(taken).hasContent("mine");
    }

    /** A store with more shards than the backup is moved aside whole. */
    @Test
    void aStoreThatIsThereIsMovedAsideWithAllItsFiles() throws Exception {
        original.get(0).publish(10);
        SqliteBackup.of(file(), backup, quiet);
        for (int shard = 0; shard < SHARDS; shard++) {
            new QueueStore(restored().getParent(), shard).close();
        }
        new QueueStore(restored().getParent(), SHARDS).close();
        assertThat(CopiedFiles.refused(() -> SqliteRestore.of(backup, restored(), false, quiet)))
                .hasMessageStartingWith("RT-3051 ");

        Path aside = SqliteRestore.of(backup, restored(), true, quiet).aside();

        String suffix = aside.getFileName().toString().substring("ringtable.db".length());
        assertThat(CopiedFiles.filesBeside(aside))
                .contains("ringtable-shard-3.db" + suffix, "ringtable-shard-1.db" + suffix, "ringtable.db" + suffix)
                .doesNotContain("ringtable-shard-3.db");
        restoredHasExactly(10, 0, 0);
    }

    /** A file of a stopped store says nothing of a set: what lies beside it is the set. */
    @Test
    void aStoppedStoreIsRestoredFromItsOwnFiles() {
        original.get(1).publish(7);
        close();
        assertThat(SqliteRestore.of(file(), restored(), false, quiet).files()).isEqualTo(SHARDS);
        restoredHasExactly(0, 7, 0);
    }
}
