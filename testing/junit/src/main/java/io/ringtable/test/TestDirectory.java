package io.ringtable.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * Holds the file of a test's broker. The directory lies in memory where the system has room for it there, else among
 * temporary files. The broker syncs it either way; only the disk is spared.
 */
final class TestDirectory implements AutoCloseable {
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final long ROOM_LEAST = 512L << 20; // a broker's file and its log, and some tests beside it

    private final Path path;

    TestDirectory() {
        try {
            boolean hasRoom =
                    Files.isWritable(MEMORY) && Files.getFileStore(MEMORY).getUsableSpace() >= ROOM_LEAST;
            path = hasRoom
                    ? Files.createTempDirectory(MEMORY, "ringtable-test-")
                    : Files.createTempDirectory("ringtable-test-");
        } catch (IOException e) {
            throw new UncheckedIOException("RT-7002 no temporary directory for the broker: check java.io.tmpdir", e);
        }
    }

    Path path() {
        return path;
    }

    /** Deletes everything; what another process still holds stays for the system to clean up. */
    @Override
    public void close() {
        try (Stream<Path> found = Files.walk(path)) {
            found.sorted(Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            throw new UncheckedIOException("RT-7003 " + path + " cannot be deleted: delete it by hand", e);
        }
    }
}
