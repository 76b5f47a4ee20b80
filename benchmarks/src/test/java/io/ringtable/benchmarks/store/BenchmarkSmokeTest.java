package io.ringtable.benchmarks.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.benchmarks.design.QueueBenchmark;
import io.ringtable.benchmarks.engine.BenchmarkDatabase;
import io.ringtable.benchmarks.engine.Databases;
import io.ringtable.benchmarks.flush.SnapshotHeld;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs each benchmark once and briefly, so that none rots; the figures mean nothing. */
class BenchmarkSmokeTest {
    private static Databases databases;

    /** Starts one server for all tests, which find it like an external one. */
    @BeforeAll
    static void startServer() {
        System.setProperty("jmh.ignoreLock", "true"); // another build may run its own; the figures mean nothing
        databases = new Databases();
        try (BenchmarkDatabase database = databases.create(Databases.POSTGRESQL)) {
            System.setProperty(
                    "bench.postgresql.url", database.settings().properties().url());
            System.setProperty(
                    "bench.postgresql.password",
                    database.settings().properties().password());
        } catch (RuntimeException | Error e) {
            if (List.of(System.getProperty("engines.required", "").split("\\s*,\\s*"))
                    .contains(Databases.POSTGRESQL)) {
                Assertions.fail("PostgreSQL is absent, and engines.required names it", e);
            }
            System.clearProperty("bench.postgresql.url");
        }
    }

    @AfterAll
    static void stopServer() {
        System.clearProperty("jmh.ignoreLock");
        System.clearProperty("bench.postgresql.url");
        System.clearProperty("bench.postgresql.password");
        databases.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {Databases.SQLITE, Databases.POSTGRESQL})
    void harnessMeasuresRingAndNaiveQueue(String engine) throws RunnerException {
        requireEngine(engine);
        Collection<RunResult> results = briefly(
                new OptionsBuilder()
                        .include(FlushBenchmark.class.getSimpleName())
                        .param("engine", engine)
                        .param("batch", "100")
                        .param("subscribers", "2")
                        .param("addresses", "3")
                        .param("backlogRows", "5000")
                        .addProfiler(StoreProfiler.class),
                200);
        assertThat(results).hasSize(2).allSatisfy(result -> {
            assertThat(figure(result, "messages")).isPositive();
            assertThat(figure(result, "logBytesPerMessage"))
                    .as("log bytes per message of %s bytes", Shape.BODY_BYTES)
                    .isGreaterThan(Shape.BODY_BYTES);
        });
    }

    private static Collection<RunResult> briefly(ChainedOptionsBuilder options, int millis) throws RunnerException {
        return new Runner(options.forks(0)
                        .warmupIterations(0)
                        .measurementIterations(1)
                        .measurementTime(TimeValue.milliseconds(millis))
                        .shouldFailOnError(true)
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .run();
    }

    @SuppressWarnings("rawtypes") // JMH's own signature
    private static double figure(RunResult result, String label) {
        return result.getSecondaryResults().entrySet().stream()
                .filter(entry -> entry.getKey().endsWith(label))
                .findFirst()
                .orElseThrow(() -> new AssertionError(
                        label + " is none of " + result.getSecondaryResults().keySet()))
                .getValue()
                .getScore();
    }

    @ParameterizedTest
    @ValueSource(strings = {Databases.SQLITE, Databases.POSTGRESQL})
    void comparisonInterleavesItsCases(String engine) {
        requireEngine(engine);
        Comparison.main(new String[] {"suite=smoke", "engines=" + engine, "rounds=2", "seconds=0.05", "warmup=0.05"});
    }

    @ParameterizedTest
    @ValueSource(strings = {Databases.SQLITE, Databases.POSTGRESQL})
    void groupsOfThreadsPushAndPop(String engine) throws RunnerException {
        requireEngine(engine);
        Collection<RunResult> results = briefly(
                new OptionsBuilder()
                        .include(QueueBenchmark.class.getSimpleName())
                        .param("engine", engine)
                        .param("batch", "10")
                        .threadGroups(2, 2),
                300);
        assertThat(results).hasSize(2).allSatisfy(result -> {
            assertThat(figure(result, "pushed")).isPositive();
            assertThat(figure(result, "popped")).isPositive();
        });
    }

    @Test
    void streamsGoOnWhileASnapshotIsHeld() throws InterruptedException {
        requireEngine(Databases.POSTGRESQL);
        SnapshotHeld.main(new String[] {"stretches=2", "seconds=0.3"});
    }

    @Test
    void flushesOfTwoServersTakeTurns() {
        requireEngine(Databases.POSTGRESQL);
        String url = System.getProperty("bench.postgresql.url");
        FlushBeside.main(new String[] {"url=" + url, "other=" + url, "rounds=2", "seconds=0.2", "warmup=0.1"});
    }

    private static void requireEngine(String engine) {
        Assumptions.assumeTrue(
                engine.equals(Databases.SQLITE) || System.getProperty("bench.postgresql.url") != null,
                "PostgreSQL is absent");
    }
}
