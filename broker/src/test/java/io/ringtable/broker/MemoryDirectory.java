package io.ringtable.broker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * Makes the temporary directories of tests in memory, where the system has a place for that. The data of a test have to
 * survive crashes that it simulates, not the machine's. Acceptance tests, whose brokers are killed, store on the disk.
 */
public final class MemoryDirectory implements TempDirFactory {
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final long ROOM_LEAST = 4L << 30; // two servers with their logs, and the files of tests
    private static final String PREFIX = "ringtable-test-";

    @Override
    public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext test) throws IOException {
        return create(PREFIX);
    }

    /** Creates a directory with a name of its own. */
    public static Path create(String prefix) throws IOException {
        boolean hasRoom = Files.isWritable(MEMORY) && Files.getFileStore(MEMORY).getUsableSpace() >= ROOM_LEAST;
        return hasRoom ? Files.createTempDirectory(MEMORY, prefix) : Files.createTempDirectory(prefix);
    }
}
