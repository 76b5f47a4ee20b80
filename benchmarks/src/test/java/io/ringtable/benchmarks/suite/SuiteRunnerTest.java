package io.ringtable.benchmarks.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SuiteRunnerTest {
    private static final Suite SUITE = Suites.read("""
                    letters:
                      question: Which?
                      engines: [sqlite]
                      blocks: [{design: [a, b, c]}]
                    """).get(0);

    private final List<String> calls = new ArrayList<>();

    @TempDir
    private Path directory;

    /** Notes what is asked of it. */
    private class Noting implements Subjects {
        @Override
        public Optional<String> whyNot(String engine, Case one) {
            return one.design().equals("c") ? Optional.of("c cannot") : Optional.empty();
        }

        @Override
        public Subject open(String engine, Case one) {
            calls.add("open " + one);
            return new Subject() {
                @Override
                public Map<Figure, String> measure(Duration time) {
                    calls.add(one.design());
                    measured(one.design());
                    return Map.of(Figure.MESSAGES, "1");
                }

                @Override
                public void close() {
                    calls.add("close " + one);
                }
            };
        }

        void measured(String design) {}
    }

    @Test
    void eachRoundBeginsWithAnotherCase() {
        try (Results results = results()) {
            SuiteRunner runner = new SuiteRunner(new Noting(), results, Profile.QUICK, text -> {});
            assertThat(runner.runs(SUITE, "sqlite")).isEqualTo(10);
            runner.run(SUITE, "sqlite");
            assertThat(runner.runs(SUITE, "sqlite")).isZero();
            assertThat(results.rows()).hasSize(10);
        }
        assertThat(calls)
                .startsWith("open a", "a", "open b", "b", "b", "a", "a", "b")
                .contains("close a", "close b")
                .hasSize(14);
    }

    @Test
    void aCallAfterAnInterruptionMeasuresWhatIsMissing() {
        try (Results results = results()) {
            SuiteRunner[] runner = new SuiteRunner[1];
            runner[0] = new SuiteRunner(new Noting(), results, Profile.QUICK, text -> {
                if (calls.size() == 2) {
                    runner[0].stop();
                }
            });
            runner[0].run(SUITE, "sqlite");
            assertThat(results.rows()).hasSize(2);
        }
        assertThat(calls).endsWith("close b");
        try (Results results = results()) {
            new SuiteRunner(new Noting(), results, Profile.QUICK, text -> {}).run(SUITE, "sqlite");
            assertThat(results.rows()).hasSize(10);
        }
    }

    @Test
    void aCaseThatFailsSaysWhyAndTheOthersGoOn() {
        try (Results results = results()) {
            Subjects failing = new Noting() {
                @Override
                void measured(String design) {
                    if (design.equals("a")) {
                        throw new IllegalStateException("a message is missing");
                    }
                }
            };
            new SuiteRunner(failing, results, Profile.QUICK, text -> {}).run(SUITE, "sqlite");
            assertThat(results.rows())
                    .filteredOn(row -> row.one().design().equals("a"))
                    .hasSize(5)
                    .allSatisfy(row -> assertThat(row.cell("note")).contains("FAILED", "a message is missing"));
            assertThat(results.rows())
                    .filteredOn(row -> row.one().design().equals("b"))
                    .allSatisfy(row -> assertThat(row.cell("messages")).isEqualTo("1"));
        }
    }

    private Results results() {
        return new Results(directory, "test", "machine");
    }
}
