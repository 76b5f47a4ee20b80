package io.ringtable.benchmarks.engine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/** Skips a test whose engine is absent, and fails it if {@code engines.required} names the engine. */
public final class TestEngines {
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final long ROOM_LEAST = 4L << 30;

    private static final Set<String> PRESENT = ConcurrentHashMap.newKeySet(); // those that this JVM has met

    private TestEngines() {}

    /** Opens databases in memory, for tests that ask neither for durability nor for time. */
    public static Databases inMemory() {
        return Databases.in(memory());
    }

    /** Returns where files lie in memory; where the system has no such place, that of temporary files. */
    public static Path memory() {
        try {
            boolean hasRoom =
                    Files.isWritable(MEMORY) && Files.getFileStore(MEMORY).getUsableSpace() >= ROOM_LEAST;
            return hasRoom ? MEMORY : Path.of(System.getProperty("java.io.tmpdir"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the engines to test: a SQL Server too where {@code bench.sqlserver.url} names one. */
    public static List<String> all() {
        return Stream.concat(
                        Databases.ENGINES.stream(),
                        Stream.of(Databases.SQLSERVER).filter(any -> System.getProperty("bench.sqlserver.url") != null))
                .toList();
    }

    /** Skips the test, or fails it, where the engine is absent. Only the first test of an engine has to start it. */
    public static void require(Databases databases, String engine) {
        if (PRESENT.contains(engine)) {
            return;
        }
        try {
            databases.create(engine).close();
            PRESENT.add(engine);
        } catch (RuntimeException | Error e) {
            if (List.of(System.getProperty("engines.required", "").split("\\s*,\\s*"))
                    .contains(engine)) {
                Assertions.fail(engine + " is absent, and engines.required names it", e);
            }
            Assumptions.abort(engine + " is absent: " + e);
        }
    }
}
