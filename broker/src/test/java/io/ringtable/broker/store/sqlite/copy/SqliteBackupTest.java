package io.ringtable.broker.store.sqlite.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;

/** Backups of a store that is written meanwhile, and what they refuse. */
class SqliteBackupTest {
    @TempDir(factory = TempDirFactory.Standard.class)
    private Path directory;

    private final CopySteps quiet = new CopySteps(() -> {});

    @Test
    void aBackupHasWhatWasStoredWhenItBeganAndTheStoreGoesOnMeanwhile() throws Exception {
        Path backup = directory.resolve("backup.db");
        try (QueueStore original = new QueueStore(directory.resolve("data"))) {
            original.publish(2_000);
            CopySteps publishing = new CopySteps(() -> original.publish(10));

            SqliteBackup.Made made = SqliteBackup.of(original.file(), backup, publishing);

            assertThat(publishing.copies()).as("steps of the copy").isGreaterThan(2);
            assertThat(publishing.checks()).isOne();
            assertThat(original.next()).isEqualTo(2_000 + 10L * publishing.copies());
            assertThat(made.bytes()).isEqualTo(Files.size(backup));
            assertThat(CopiedFiles.filesBeside(backup)).containsExactly("backup.db", "data");
            original.publish(10);
            original.hasExactly(original.next());
        }
        SqliteRestore.of(backup, directory.resolve("restored/ringtable.db"), false, quiet);
        try (QueueStore restored = new QueueStore(directory.resolve("restored"))) {
            restored.hasExactly(2_000);
            restored.publish(10);
            restored.hasExactly(2_010);
        }
    }

    /** The log of a killed broker has what its file has not. */
    @Test
    void aBackupOfAKilledBrokersStoreHasWhatItsLogHas() throws Exception {
        Path killed = directory.resolve("killed");
        try (QueueStore original = new QueueStore(directory.resolve("data"))) {
            original.publish(100);
            CopiedFiles.copyStore(original.data(), killed);
        }
        SqliteBackup.of(killed.resolve("ringtable.db"), directory.resolve("backup.db"), quiet);
        SqliteRestore.of(directory.resolve("backup.db"), directory.resolve("restored/ringtable.db"), false, quiet);
        try (QueueStore restored = new QueueStore(directory.resolve("restored"))) {
            restored.hasExactly(100);
        }
    }

    @Test
    void aDiskThatIsTooSmallIsNamedAndNothingIsLeftOnIt() throws Exception {
        Path disk = Files.createDirectory(directory.resolve("disk"));
        Assumptions.assumeTrue(
                Files.isExecutable(Path.of("/bin/mount"))
                        && run("mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", disk.toString()) == 0,
                "a small disk cannot be mounted here (it takes Linux and root)");
        try (QueueStore original = new QueueStore(directory.resolve("data"))) {
            original.publish(2_000);
            CopySteps filling = new CopySteps(() -> fill(disk));
            Path target = disk.resolve("backup.db");

            assertThat(CopiedFiles.refused(() -> SqliteBackup.of(original.file(), target, filling)))
                    .hasMessageStartingWith("RT-3046 ")
                    .hasMessageContaining("backup.db")
                    .hasMessageContaining("became full");
            assertThat(CopiedFiles.refused(() -> SqliteBackup.of(original.file(), target, quiet)))
                    .hasMessageStartingWith("RT-3046 ")
                    .hasMessageContaining(" are free");

            assertThat(CopiedFiles.filesBeside(target)).containsExactly("ballast");
        } finally {
            assertThat(run("umount", disk.toString())).isZero();
        }
    }

    private static void fill(Path disk) {
        try {
            byte[] all = new byte[(int) Files.getFileStore(disk).getUsableSpace()];
            Files.write(disk.resolve("ballast"), all, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int run(String... command) throws Exception {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }

    @Test
    void nothingIsOverwritten() throws Exception {
        Path taken = Files.writeString(directory.resolve("taken"), "mine");
        Files.writeString(directory.resolve("other.part"), "mine too");
        try (QueueStore original = new QueueStore(directory.resolve("data"))) {
            assertThat(CopiedFiles.refused(() -> SqliteBackup.of(original.file(), taken, quiet)))
                    .hasMessageStartingWith("RT-3040 ")
                    .hasMessageContaining(taken.toString());
            assertThat(CopiedFiles.refused(() -> SqliteBackup.of(original.file(), directory.resolve("other"), quiet)))
                    .hasMessageStartingWith("RT-3041 ")
                    .hasMessageContaining("other.part");
            Path late = directory.resolve("late");
            CopySteps racing = new CopySteps(() -> write(late, "faster"));
            assertThat(CopiedFiles.refused(() -> SqliteBackup.of(original.file(), late, racing)))
                    .hasMessageStartingWith("RT-3040 ");
            assertThat(late).hasContent("faster");
            assertThat(CopiedFiles.refused(
                            () -> SqliteBackup.of(original.file(), directory.resolve("no/such/x"), quiet)))
                    .hasMessageStartingWith("RT-3042 ");
            assertThat(CopiedFiles.refused(() -> SqliteBackup.of(directory.resolve("nothing.db"), late, quiet)))
                    .hasMessageStartingWith("RT-3048 ");
        }
        assertThat(taken).hasContent("mine");
        assertThat(directory.resolve("other.part")).hasContent("mine too");
        assertThat(CopiedFiles.filesBeside(taken)).containsExactly("data", "late", "other.part", "taken");
    }

    @Test
    void aBackupIsItsOwnersAlone() throws Exception {
        Assumptions.assumeTrue(
                directory.getFileSystem().supportedFileAttributeViews().contains("posix"), "no POSIX permissions");
        Path backup = directory.resolve("backup.db");
        try (QueueStore original = new QueueStore(directory.resolve("data"))) {
            SqliteBackup.of(original.file(), backup, quiet);
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(backup)))
                .isEqualTo("rw-------");
    }

    /** A backup that is done before the log has grown at all proves nothing, and is made again. */
    @Test
    void aBackupGivesUpWhenTheLogGrowsBeyondItsBound() throws Exception {
        Path target = directory.resolve("backup.db");
        try (QueueStore original = new QueueStore(directory.resolve("data"))) {
            original.publish(2_000);
            List<String> said = List.of();
            for (int attempt = 0; attempt < 20 && !last(said).startsWith("failed "); attempt++) {
                Files.deleteIfExists(target);
                emptyTheLog(original.file());
                said = backupBesideAWriter(original, target);
            }

            assertThat(said.get(0)).matches("copied \\d+ \\d+");
            assertThat(last(said)).startsWith("failed RT-3049 ").contains("--log-max");
            original.hasExactly(original.next());
        }
        assertThat(CopiedFiles.filesBeside(target)).containsExactly("data");
    }

    private static String last(List<String> said) {
        return said.isEmpty() ? "" : said.get(said.size() - 1);
    }

    /**
     * Empties the log, as soon as the store's own checkpoint lets it. A log that begins anew in a file that was large
     * grows only when it has filled that file again.
     */
    private static void emptyTheLog(Path store) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + store);
                Statement runs = connection.createStatement()) {
            await().until(() -> {
                runs.execute("PRAGMA wal_checkpoint(TRUNCATE)");
                return Files.size(PartFile.beside(store, "-wal")) == 0;
            });
        }
    }

    /** Runs a backup that allows the log one byte more, and writes the store as soon as the backup has begun. */
    private static List<String> backupBesideAWriter(QueueStore original, Path target) throws Exception {
        Process backup = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        SqliteCopyProgram.class.getName(),
                        "backup",
                        original.file().toString(),
                        target.toString(),
                        "1")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            await().pollInterval(Duration.ofMillis(1))
                    .until(() -> Files.exists(PartFile.beside(target, ".part")) || !backup.isAlive());
            for (int i = 0; i < 100 && backup.isAlive(); i++) {
                original.publish(1);
            }
            assertThat(backup.waitFor(60, TimeUnit.SECONDS)).isTrue();
            return backup.inputReader().lines().toList();
        } finally {
            backup.destroyForcibly();
        }
    }

    private static void write(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
