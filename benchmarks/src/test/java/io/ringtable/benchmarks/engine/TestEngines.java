package io.ringtable.benchmarks.engine;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/** Skips a test whose engine is absent, and fails it if {@code engines.required} names the engine. */
public final class TestEngines {
    private TestEngines() {}

    /** Returns the engines to test: a SQL Server too where {@code bench.sqlserver.url} names one. */
    public static List<String> all() {
        return Stream.concat(
                        Databases.ENGINES.stream(),
                        Stream.of(Databases.SQLSERVER).filter(any -> System.getProperty("bench.sqlserver.url") != null))
                .toList();
    }

    public static void require(Databases databases, String engine) {
        try {
            databases.create(engine).close();
        } catch (RuntimeException | Error e) {
            if (List.of(System.getProperty("engines.required", "").split("\\s*,\\s*"))
                    .contains(engine)) {
                Assertions.fail(engine + " is absent, and engines.required names it", e);
            }
            Assumptions.abort(engine + " is absent: " + e);
        }
    }
}
