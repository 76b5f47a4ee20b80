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

class MarkdownTest {
    private static final Map<Dimension, String> RING = Map.of(Dimension.DESIGN, "ring");
    private static final Map<Dimension, String> NAIVE = Map.of(Dimension.DESIGN, "naive");

    @Test
    void theTablesHaveClaimsMediansCommandAndManifest() {
        Suite suite = new Suite(
                "queue",
                "How many messages go through?",
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
                        "queue", "messages_per_s", RING, NAIVE, new Claim.Range(15, Double.POSITIVE_INFINITY))),
                "");
        Claim unseen = new Claim(
                "latch", "A latch waits.", "An author", "often", List.of(), "a debugger", Optional.empty(), "hidden");
        Report report = new Report(
                "bin/ringtable bench profile=quick",
                List.of("commit abc, profile quick", "2 processors"),
                List.of(suite),
                rows.rows(),
                Judge.verdicts(List.of(tested, unseen), rows.rows(), List.of("sqlite", "postgresql")));

        assertThat(Markdown.text(report)).isEqualTo("""
                        `bin/ringtable bench profile=quick`

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
                .add("batches", "sqlite", NAIVE, Figure.MESSAGES_PER_S, Map.of(), 100, 100, 100, 100, 100)
                .add(
                        "batches",
                        "sqlite",
                        Map.of(Dimension.DESIGN, "naive", Dimension.BATCH, "10"),
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
                        Map.of(Dimension.DESIGN, "naive", Dimension.BATCH, "100"),
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
                .filteredOn(verdict -> verdict.claim().id().equals("randal-nothing-beyond-ten"))
                .singleElement()
                .satisfies(verdict -> assertThat(verdict.outcome()).hasToString("refuted"))
                .satisfies(verdict -> assertThat(verdict.measured()).startsWith("4.00 (3.98 to 4.02)"));
        assertThat(Markdown.text(report)).contains("| **refuted** 4.00 (3.98 to 4.02), 5 rounds |");
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
