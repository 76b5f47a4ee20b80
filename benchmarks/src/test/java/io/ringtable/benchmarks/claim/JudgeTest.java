package io.ringtable.benchmarks.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.ringtable.benchmarks.claim.Verdict.Outcome;
import io.ringtable.benchmarks.suite.Dimension;
import io.ringtable.benchmarks.suite.Figure;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JudgeTest {
    private static final Map<Dimension, String> RING = Map.of(Dimension.DESIGN, "ring");
    private static final Map<Dimension, String> NAIVE = Map.of(Dimension.DESIGN, "naive");
    private static final Map<Dimension, String> RELAXED =
            Map.of(Dimension.DESIGN, "ring", Dimension.DURABILITY, "delayed");
    private static final double[] HUNDREDS = {100, 100, 100, 100, 100};

    private final TestRows rows = new TestRows();

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            15   |      | 1490 1500 1510 1520 1530 | CONFIRMED
            15   |      | 290 300 310 300 290      | PARTLY
            15   |      | 50 60 50 60 50           | REFUTED
            15   |      | 50 200 90 110 120        | REFUTED
            15   |      | 100 100 100 100 100      | REFUTED
            1.5  |      | 50 200 90 110 120        | UNDECIDED
                 | 0.5  | 40 41 42 43 44           | CONFIRMED
                 | 0.5  | 70 71 72 73 74           | PARTLY
                 | 0.5  | 120 130 120 130 120      | REFUTED
                 | 0.5  | 50 200 90 110 120        | REFUTED
                 | 0.6  | 50 200 90 110 120        | UNDECIDED
            1    |      | 101 102 103 104 105      | CONFIRMED
            1    |      | 91 92 93 94 95           | REFUTED
            1    |      | 100 100 100 100 100      | UNDECIDED
                 | 1    | 91 92 93 94 95           | CONFIRMED
            0.9  | 1.1  | 99 100 101 100 99        | CONFIRMED
            0.9  | 1.1  | 130 131 132 133 134      | REFUTED
            0.9  | 1.1  | 80 81 82 83 84           | REFUTED
            0.9  | 1.1  | 100 105 110 115 120      | UNDECIDED
                 | 1.05 | 50 51 52 53 54           | CONFIRMED
            """)
    void theIntervalOfTheRatioDecides(Double atLeast, Double atMost, String found, Outcome outcome) {
        double[] ring =
                Arrays.stream(found.split(" ")).mapToDouble(Double::parseDouble).toArray();
        ring(ring);
        naive(HUNDREDS);
        Claim.Range range =
                new Claim.Range(atLeast == null ? 0 : atLeast, atMost == null ? Double.POSITIVE_INFINITY : atMost);
        assertThat(verdict(faster(range)).outcome()).isEqualTo(outcome);
    }

    @Test
    void theMeanIsGeometricAndTheIntervalIsStudents() {
        MeanRatio ratio = MeanRatio.of(new double[] {1, 2, 4, 8, 16});
        assertThat(ratio.mean()).isCloseTo(4, within(1e-9));
        // Logarithms to base 2 are 0 to 4: deviation sqrt(2.5), and 2.776 is Student's quantile of 4 degrees.
        double half = 2.776445 * Math.sqrt(2.5 / 5);
        assertThat(ratio.low()).isCloseTo(Math.pow(2, 2 - half), within(1e-4));
        assertThat(ratio.high()).isCloseTo(Math.pow(2, 2 + half), within(1e-3));
    }

    @Test
    void aDisturbanceOfBothCasesInARoundCancelsOut() {
        ring(300, 30, 3000, 90, 600);
        naive(100, 10, 1000, 30, 200);
        assertThat(verdict(faster(atLeast(3))).measured()).isEqualTo("3.00 (3.00 to 3.00), 5 rounds");
    }

    @Test
    void fourRoundsDecideNothing() {
        ring(300, 300, 300, 300, 300);
        naive(100, 100, 100, 100);
        Verdict verdict = verdict(faster(atLeast(3)));
        assertThat(verdict.outcome()).isEqualTo(Outcome.NOT_TESTABLE);
        assertThat(verdict.measured()).isEmpty();
        assertThat(verdict.remarks()).containsExactly("4 rounds; 5 are needed");
    }

    @Test
    void aRunThatIsNotDurableStandsForNoDurableCase() {
        Map<Figure, String> weak = Map.of(Figure.VERIFIED, "not durable", Figure.WHY_NOT, "0 syncs for 900 commits");
        rows.add("batches", "sqlite", RING, Figure.MESSAGES_PER_S, weak, 300, 300, 300, 300, 300);
        naive(HUNDREDS);
        Verdict verdict = verdict(faster(atLeast(3)));
        assertThat(verdict.outcome()).isEqualTo(Outcome.NOT_TESTABLE);
        assertThat(verdict.remarks())
                .containsExactly(
                        "5 of 5 rows of 'ring' left out: not durable (0 syncs for 900 commits)",
                        "no figures; 5 are needed");
    }

    @Test
    void aRunThatIsNotToBeDurableStandsForItsCase() {
        Map<Figure, String> weak = Map.of(Figure.VERIFIED, "not durable", Figure.WHY_NOT, "synchronous_commit=off");
        rows.add("batches", "sqlite", RELAXED, Figure.MESSAGES_PER_S, weak, 700, 700, 700, 700, 700);
        ring(HUNDREDS);
        Map<Dimension, String> durable = Map.of(Dimension.DESIGN, "ring", Dimension.DURABILITY, "durable");
        Verdict verdict = verdict(claim(RELAXED, durable, atLeast(6.4)));
        assertThat(verdict.outcome()).isEqualTo(Outcome.CONFIRMED);
        assertThat(verdict.remarks()).isEmpty();
    }

    @Test
    void aRunThatFailedIsLeftOutAndNamed() {
        ring(300, 300, 300, 300, 300);
        rows.addFailed("batches", "sqlite", RING, 5);
        naive(100, 100, 100, 100, 100, 100);
        Verdict verdict = verdict(faster(atLeast(3)));
        assertThat(verdict.outcome()).isEqualTo(Outcome.CONFIRMED);
        assertThat(verdict.remarks())
                .containsExactly("1 of 6 rows of 'ring' left out: failed (FAILED: java.sql.SQLException: full)");
    }

    @Test
    void aFigureThatTheEngineDoesNotTellIsNamed() {
        rows.add("batches", "sqlite", RING, Figure.LOG_BYTES, Map.of(), HUNDREDS);
        naive(HUNDREDS);
        assertThat(verdict(faster(atLeast(3))).remarks())
                .contains("5 of 5 rows of 'ring' have no messages_per_s", "no figures; 5 are needed");
    }

    @Test
    void aFigureOfZeroHasNoRatio() {
        ring(300, 300, 300, 300, 300, 0);
        naive(100, 100, 100, 100, 100, 100);
        Verdict verdict = verdict(faster(atLeast(3)));
        assertThat(verdict.outcome()).isEqualTo(Outcome.CONFIRMED);
        assertThat(verdict.remarks()).containsExactly("rounds with a figure of 0, and so without a ratio: 1");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
              |   0 | 0 0 0 0 0 | CONFIRMED | 0 (0 to 0), 5 rounds
              |   0 | 0 0 3 0 0 | REFUTED   | 0 (0 to 3), 5 rounds
            1 |     | 1 2 3 4 5 | CONFIRMED | 3 (1 to 5), 5 rounds
            1 |     | 0 2 3 0 5 | PARTLY    | 2 (0 to 5), 5 rounds
            1 |     | 0 0 0 0 0 | REFUTED   | 0 (0 to 0), 5 rounds
            """)
    void aFigureOfOneCaseIsToHoldInEachRound(
            Double atLeast, Double atMost, String found, Outcome outcome, String measured) {
        rows.add(
                "batches",
                "sqlite",
                RING,
                Figure.MESSAGES_PER_S,
                Map.of(),
                Arrays.stream(found.split(" ")).mapToDouble(Double::parseDouble).toArray());
        Claim.Range range =
                new Claim.Range(atLeast == null ? 0 : atLeast, atMost == null ? Double.POSITIVE_INFINITY : atMost);
        Verdict verdict = verdict(claim(RING, Map.of(), range));
        assertThat(verdict.outcome()).isEqualTo(outcome);
        assertThat(verdict.measured()).isEqualTo(measured);
    }

    @ParameterizedTest
    @CsvSource({"WRITELOG, CONFIRMED, 5", "PAGELATCH_EX, REFUTED, 0"})
    void aWordIsComparedInEachRound(String wait, Outcome outcome, int rounds) {
        rows.add("batches", "sqlite", RING, Figure.MESSAGES, Map.of(Figure.TOP_WAIT, wait), HUNDREDS);
        Claim.Test test =
                new Claim.Test("batches", "top_wait", RING, Map.of(), new Claim.Word(Pattern.compile("WRITE.*")), 1);
        Verdict verdict = verdict(claim(test));
        assertThat(verdict.outcome()).isEqualTo(outcome);
        assertThat(verdict.measured()).isEqualTo(wait + "; as claimed in " + rounds + " of 5 rounds");
    }

    @Test
    void eachEngineOfTheRunHasItsVerdict() {
        ring(300, 300, 300, 300, 300);
        naive(HUNDREDS);
        List<Verdict> verdicts =
                Judge.verdicts(List.of(faster(atLeast(3))), rows.rows(), List.of("postgresql", "sqlite"), any -> 2);
        assertThat(verdicts).extracting(Verdict::engine).containsExactly("sqlite", "postgresql");
        assertThat(verdicts).extracting(Verdict::outcome).containsExactly(Outcome.CONFIRMED, Outcome.NOT_TESTABLE);
        assertThat(verdicts.get(1).remarks()).containsExactly("no rows of batches on postgresql");
    }

    @Test
    void aClaimOnAnotherEngineSaysWhereToMeasure() {
        List<Verdict> verdicts = Judge.verdicts(List.of(faster(atLeast(3))), List.of(), List.of("oracle"), any -> 2);
        assertThat(verdicts).extracting(Verdict::engine).containsExactly("sqlite", "postgresql");
        assertThat(verdicts.get(0).command()).isEqualTo("bin/ringtable bench --suite batches --engine sqlite");
    }

    @Test
    void aMachineWithTooFewProcessorsShowsAFigureAndNoVerdict() {
        ring(100, 100, 100, 100, 100);
        naive(HUNDREDS);
        Claim claim = claim(new Claim.Test("batches", "messages_per_s", RING, NAIVE, atLeast(4), 8));

        Verdict tooFew = verdict(claim, 7);
        assertThat(tooFew.outcome()).isEqualTo(Outcome.NOT_TESTABLE);
        assertThat(tooFew.measured()).isEqualTo("1 (1 to 1), 5 rounds");
        assertThat(tooFew.remarks()).containsExactly("needs 8 processors; this machine has 7");
        assertThat(verdict(claim, 8).outcome()).isEqualTo(Outcome.REFUTED);
    }

    @Test
    void aClaimThatAnotherCommandShowsSaysWhere() {
        Claim claim = new Claim(
                "restart",
                "A start is quick.",
                "An author",
                "1.5 s",
                List.of(),
                "run.sh restart",
                Optional.empty(),
                "",
                "BENCHMARKS.md");
        Verdict verdict = verdict(claim);
        assertThat(verdict.outcome()).isEqualTo(Outcome.ELSEWHERE);
        assertThat(verdict.remarks()).containsExactly("BENCHMARKS.md");
        assertThat(verdict.command()).isEqualTo("run.sh restart");
    }

    @Test
    void aClaimThatNobodyCanTestHasItsReason() {
        Claim claim = new Claim(
                "latch",
                "A latch waits.",
                "An author",
                "3 times",
                List.of(),
                "a debugger",
                Optional.empty(),
                "hidden",
                "");
        Verdict verdict = verdict(claim);
        assertThat(verdict.engine()).isEqualTo(Verdict.NO_ENGINE);
        assertThat(verdict.outcome()).isEqualTo(Outcome.NOT_TESTABLE);
        assertThat(verdict.remarks()).containsExactly("hidden");
    }

    @Test
    void casesThatAClaimCannotTellApartAreRefused() {
        ring(HUNDREDS);
        rows.add("batches", "sqlite", RELAXED, Figure.MESSAGES_PER_S, Map.of(), HUNDREDS);
        naive(HUNDREDS);
        assertThatThrownBy(() -> verdict(faster(atLeast(3))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("faster")
                .hasMessageContaining("durability=delayed");
    }

    private void ring(double... found) {
        rows.add("batches", "sqlite", RING, Figure.MESSAGES_PER_S, Map.of(), found);
    }

    private void naive(double... found) {
        rows.add("batches", "sqlite", NAIVE, Figure.MESSAGES_PER_S, Map.of(), found);
    }

    private Verdict verdict(Claim claim) {
        return verdict(claim, 2);
    }

    private Verdict verdict(Claim claim, int processors) {
        return Judge.verdicts(List.of(claim), rows.rows(), List.of("sqlite"), any -> processors)
                .get(0);
    }

    private static Claim faster(Claim.Range range) {
        return claim(RING, NAIVE, range);
    }

    private static Claim claim(Map<Dimension, String> of, Map<Dimension, String> against, Claim.Range range) {
        return claim(new Claim.Test("batches", "messages_per_s", of, against, range, 1));
    }

    private static Claim claim(Claim.Test test) {
        return new Claim(
                "faster",
                "A ring is faster.",
                "An author",
                "15 times",
                List.of("sqlite", "postgresql"),
                "",
                Optional.of(test),
                "",
                "");
    }

    private static Claim.Range atLeast(double ratio) {
        return new Claim.Range(ratio, Double.POSITIVE_INFINITY);
    }
}
