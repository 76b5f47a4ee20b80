package io.ringtable.broker.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A data directory of one test's own, for a broker whose store is a server: it keeps its node id there, and locks it. */
public final class NodeDirectory implements AutoCloseable {
    private final Path path;

    public NodeDirectory() {
        try {
            path = Files.createTempDirectory("ringtable-node");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public Path path() {
        return path;
    }

    @Override
    public void close() {
        try (Stream<Path> files = Files.walk(path)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
