package io.ringtable.benchmarks.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.benchmarks.claim.Claim;
import io.ringtable.benchmarks.claim.Judge;
import io.ringtable.benchmarks.claim.TestRows;
import io.ringtable.benchmarks.suite.Case;
import io.ringtable.benchmarks.suite.Dimension;
import io.ringtable.benchmarks.suite.Figure;
import io.ringtable.benchmarks.suite.Profile;
import io.ringtable.benchmarks.suite.Suite;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MarkdownTest {
    private static final Map<Dimension, String> RING = Map.of(Dimension.DESIGN, "ring");
    private static final Map<Dimension, String> NAIVE = Map.of(Dimension.DESIGN, "naive");

    @Test
    void theTablesHaveClaimsMediansCommandAndManifest() {
        Suite suite = new Suite(
                "queue",
                "How many messages go through?",
                "A ring has slots.",
                List.of("sqlite", "postgresql"),
                Map.of(Profile.QUICK, List.of(new Case(RING), new Case(NAIVE))),
                List.of(new Suite.Chart(List.of("design"), "log_bytes / messages", "subscribers")));
        TestRows rows = new TestRows()
                .add(
                        "queue",
                        "sqlite",
                        NAIVE,
                        Figure.MESSAGES_PER_S,
                        Map.of(Figure.LOG_BYTES, "700", Figure.MESSAGES, "2"),
                        100,
                        110,
                        90,
                        100,
                        100)
                .add("queue", "sqlite", RING, Figure.MESSAGES_PER_S, Map.of(), 1500, 1650, 1350, 1500, 1500)
                .addFailed("queue", "sqlite", RING, 5)
                .add(
                        "queue",
                        "postgresql",
                        RING,
                        Figure.MESSAGES_PER_S,
                        Map.of(Figure.VERIFIED, "not durable", Figure.WHY_NOT, "fsync=off"),
                        2000);
        Claim tested = new Claim(
                "ring-15-times",
                "A ring carries 15 times the messages.",
                "An author, \"On a | in tables\"",
                "15 times",
                List.of("sqlite", "postgresql"),
                "",
                Optional.of(new Claim.Test(
                        "queue", "messages_per_s", RING, NAIVE, new Claim.Range(15, Double.POSITIVE_INFINITY), 1)),
                "",
                "");
        Claim unseen = new Claim(
                "latch",
                "A latch waits.",
                "An author",
                "often",
                List.of(),
                "a debugger",
                Optional.empty(),
                "hidden",
                "");
        Report report = new Report(
                "bin/ringtable bench profile=quick",
                List.of("commit abc, profile quick", "2 processors"),
                List.of(suite),
                rows.rows(),
                Judge.verdicts(List.of(tested, unseen), rows.rows(), List.of("sqlite", "postgresql"), any -> 2));

        assertThat(Markdown.text(report)).isEqualTo("""
                        `bin/ringtable bench profile=quick`

                        **NOT DURABLE: 1 of 12 runs that were to be durable were not. They are marked below, and \
                        stand for no claim.**

                        ## Claims

                        | claim | source | claimed | sqlite | postgresql | command |
                        |:--|:--|:--|:--|:--|:--|
                        | A ring carries 15 times the messages. | An author, "On a \\| in tables" | 15 times \
                        | **confirmed** 15 (15 to 15), 5 rounds; 1 of 6 rows of 'ring' left out: failed (FAILED: \
                        java.sql.SQLException: full) | **not testable** 1 of 1 rows of 'ring' left out: not durable \
                        (fsync=off); no figures; 5 are needed | `bin/ringtable bench --suite queue` |

                        ## Claims that no suite shows

                        | claim | source | claimed | reason | command |
                        |:--|:--|:--|:--|:--|
                        | A latch waits. | An author | often | hidden | `a debugger` |

                        ## How many messages go through?

                        A ring has slots.

                        ### queue, sqlite

                        | case | rounds | log_bytes / messages | messages_per_s | verified |
                        |:--|:--|:--|:--|:--|
                        | naive | 5 | 350 | 100 (90 to 110) | durable |
                        | ring | 5, and 1 failed | | 1,500 (1,350 to 1,650) | durable |

                        ### queue, postgresql

                        | case | rounds | messages_per_s | verified |
                        |:--|:--|:--|:--|
                        | ring | 1 | 2,000 | not durable: fsync=off |

                        ## Manifest

                        ```
                        commit abc, profile quick
                        2 processors
                        ```
                        """);
    }

    @Test
    void aDirectoryIsReadWithItsManifestAndJudged(@TempDir Path directory) {
        new TestRows()
                .add("batches", "sqlite", RING, Figure.MESSAGES_PER_S, Map.of(), 100, 100, 100, 100, 100)
                .add(
                        "batches",
                        "sqlite",
                        Map.of(Dimension.DESIGN, "ring", Dimension.BATCH, "10"),
                        Figure.MESSAGES_PER_S,
                        Map.of(),
                        200,
                        201,
                        199,
                        200,
                        200)
                .add(
                        "batches",
                        "sqlite",
                        Map.of(Dimension.DESIGN, "ring", Dimension.BATCH, "100"),
                        Figure.MESSAGES_PER_S,
                        Map.of(),
                        800,
                        800,
                        800,
                        800,
                        800)
                .write(directory, "commit abc, profile quick", "2 processors");
        Report report = Report.read(directory, engines -> "bin/ringtable bench --engine " + engines);
        assertThat(report.command()).isEqualTo("bin/ringtable bench --engine [sqlite]");
        assertThat(report.manifest()).containsExactly("commit abc, profile quick", "2 processors");
        assertThat(report.verdicts())
                .filteredOn(verdict -> verdict.claim().id().equals("ringtable-small-rows-gain-beyond-ten"))
                .singleElement()
                .satisfies(verdict -> assertThat(verdict.outcome()).hasToString("confirmed"))
                .satisfies(verdict -> assertThat(verdict.measured()).startsWith("4.00 (3.98 to 4.02)"));
        assertThat(Markdown.text(report)).contains("| **confirmed** 4.00 (3.98 to 4.02), 5 rounds |");
    }

    @Test
    void theWaitThatLedInMostRoundsStandsInTheTable() {
        TestRows rows = new TestRows();
        for (String wait : List.of("the log", "a page", "the log")) {
            rows.add("queue", "sqlite", NAIVE, Figure.MESSAGES_PER_S, Map.of(Figure.TOP_WAIT, wait), 100);
        }
        rows.add("queue", "sqlite", RING, Figure.MESSAGES_PER_S, Map.of(Figure.TOP_WAIT, "a page"), 100, 100);
        Suite suite = new Suite("queue", "How many?", "", List.of("sqlite"), Map.of(), List.of());

        assertThat(Markdown.text(new Report("", List.of(), List.of(suite), rows.rows(), List.of())))
                .contains("| case | rounds | messages_per_s | top_wait | verified |")
                .contains("| naive | 3 | 100 | the log (2 of 3) | durable |")
                .contains("| ring | 2 | 100 | a page | durable |");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            2 processors (AMD EPYC), 24 GB of memory      | sqlite     | not testable
            16 processors (AMD EPYC), 24 GB of memory     | sqlite     | partly
            2 processors (AMD EPYC), 24 GB of memory      | postgresql | not testable
            PostgreSQL, external, server_version=18.6     | postgresql | partly
            2 processors (AMD EPYC), 24 GB of memory      | sqlserver  | partly
            SQL Server, external, processors=4 edition=no | sqlserver  | not testable
            SQL Server, external, processors=8 edition=no | sqlserver  | partly
            """)
    void theMachineOfTheEngineDecidesWhatItCanShow(
            String manifest, String engine, String outcome, @TempDir Path directory) {
        new TestRows()
                .add("threads", engine, scattered(1), Figure.MESSAGES_PER_S, Map.of(), 100, 100, 100, 100, 100)
                .add("threads", engine, scattered(8), Figure.MESSAGES_PER_S, Map.of(), 200, 201, 199, 200, 200)
                .write(directory, "commit abc, profile quick", manifest);
        assertThat(Report.read(directory, engines -> "").verdicts())
                .filteredOn(verdict -> verdict.claim().id().equals("adkin-scattered-slots-scale"))
                .singleElement()
                .satisfies(verdict -> assertThat(verdict.outcome()).hasToString(outcome));
    }

    private static Map<Dimension, String> scattered(int pushers) {
        return Map.of(
                Dimension.DESIGN,
                "ring_scattered",
                Dimension.PUSHERS,
                String.valueOf(pushers),
                Dimension.DURABILITY,
                "delayed");
    }

    @Test
    void aDiskThatDoesNotKeepItsPaceIsNamed() {
        assertThat(Markdown.text(afterSyncs("70", "70", "80", "90")))
                .contains("A synced write of a page took 75 µs right before a run; nine of ten took 70 to 90 µs.\n");
        assertThat(Markdown.text(afterSyncs("70", "70", "80", "900"))).contains("This disk did not keep its pace");
    }

    private static Report afterSyncs(String... micros) {
        TestRows rows = new TestRows();
        for (String each : micros) {
            rows.add("queue", "sqlite", NAIVE, Figure.MESSAGES_PER_S, Map.of(Figure.RAW_SYNC_US, each), 100);
        }
        return new Report("bin/ringtable bench", List.of(), List.of(), rows.rows(), List.of());
    }
}
