package io.ringtable.benchmarks.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.benchmarks.engine.Databases;
import io.ringtable.benchmarks.engine.TestEngines;
import io.ringtable.benchmarks.suite.Figure;
import io.ringtable.benchmarks.suite.Readings;
import io.ringtable.benchmarks.suite.Results;
import io.ringtable.benchmarks.suite.Row;
import io.ringtable.benchmarks.suite.Suites;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The whole command, in its shortest form, on each engine that is there. */
class BenchTest {
    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();

    @BeforeAll
    static void requireEngines() {
        System.setProperty("bench.dir", TestEngines.memory().toString());
        try (Databases databases = new Databases()) {
            Databases.ENGINES.forEach(engine -> TestEngines.require(databases, engine));
        }
    }

    @AfterAll
    static void leaveMemory() {
        System.clearProperty("bench.dir");
    }

    /** Nothing is synced, so that the shortest run of everything is also one whose figures must stand for nothing. */
    @Test
    void everySuiteRunsOnEveryEngineThatItIsFor() {
        assertThat(bench("--profile", "smoke", "--unsynced")).as(out.toString()).isZero();

        assertThat(rows().stream().map(row -> row.suite() + " on " + row.engine()))
                .containsAll(Suites.ofTheBuild().stream()
                        .flatMap(suite -> suite.engines().stream()
                                .filter(Databases.ENGINES::contains)
                                .map(engine -> suite.name() + " on " + engine))
                        .toList());
        assertThat(rows())
                .allSatisfy(
                        row -> assertThat(row.cell(Figure.VERIFIED.column())).isEqualTo(Readings.NOT_DURABLE));
        assertThat(directory.resolve("index.html"))
                .content()
                .contains("<table", "not durable", "NOTHING IS SYNCED", "<p class=\"mark\" role=\"note\">NOT DURABLE");
        assertThat(directory.resolve("tables.md"))
                .content()
                .contains("| ", "\nnot on sqlite: naive_skip_locked, a transaction locks the whole file");
        assertThat(out.toString()).contains("not testable").doesNotContain("confirmed", "refuted");
    }

    @Test
    void whatIsMeasuredIsNotMeasuredAgain() {
        bench("--profile", "smoke", "--suite", "durability", "--engine", "sqlite");
        List<Row> before = rows();

        assertThat(bench("--profile", "smoke", "--suite", "durability", "--engine", "sqlite"))
                .isZero();

        assertThat(out.toString()).contains("\n0 runs of ");
        assertThat(rows()).isEqualTo(before).isNotEmpty();
    }

    @Test
    void aReportIsWrittenAnewFromWhatIsThere() throws Exception {
        bench("--profile", "smoke", "--suite", "durability", "--engine", "sqlite");
        Path page = directory.resolve("index.html");
        String before = Files.readString(page);
        Files.delete(page);

        assertThat(bench("--profile", "smoke", "--report")).isZero();

        assertThat(page).hasContent(before);
        assertThat(bench("--profile", "quick", "--report")).isEqualTo(2);
        assertThat(out.toString()).contains("has rows of --profile smoke");
    }

    @Test
    void mistakesOfTheCommandLineAreNamed() {
        assertThat(bench("--report")).isEqualTo(2);
        assertThat(out.toString()).contains("--report: there is no " + directory.resolve(Results.FILE));
        assertThat(bench("--profile", "fast")).isEqualTo(2);
        assertThat(bench("--suite", "speed")).isEqualTo(2);
        assertThat(out.toString())
                .contains("--profile=fast is none of [quick, standard, full, smoke]")
                .contains("--suite=speed is none of [queue, ");
    }

    private int bench(String... arguments) {
        CommandLine commandLine = new CommandLine(new BenchCommand())
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(out, true));
        String[] all = Stream.concat(Stream.of(arguments), Stream.of("--out", directory.toString()))
                .toArray(String[]::new);
        return commandLine.execute(all);
    }

    private List<Row> rows() {
        return Results.read(directory.resolve(Results.FILE));
    }
}
