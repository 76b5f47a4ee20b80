package io.ringtable.benchmarks.claim;

import io.ringtable.benchmarks.claim.Verdict.Outcome;
import io.ringtable.benchmarks.report.Numbers;
import io.ringtable.benchmarks.suite.Dimension;
import io.ringtable.benchmarks.suite.Figure;
import io.ringtable.benchmarks.suite.Formula;
import io.ringtable.benchmarks.suite.Readings;
import io.ringtable.benchmarks.suite.Row;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

/**
 * Compares claims with the rows of a run.
 * <p>
 * Two cases are compared within each round, and the 95 % interval of their ratio decides. A range that begins or ends
 * at 1 or beyond has a direction. Such a claim is confirmed if the whole interval lies on the same side of 1 and the
 * mean reaches the range. If the mean does not, the claim is partly confirmed. The claim is refuted if the whole
 * interval lies on the other side of 1. An interval with 1 in it refutes the claim too, if no part of it reaches the
 * range: 1.04 (0.95 to 1.14) refutes 15. A range on both sides of 1 has no direction. The claim is confirmed if the
 * whole interval lies within the range, and refuted if no part of it does.
 * <p>
 * A figure of one case is no ratio: the claim is confirmed if it holds in every round, and refuted if it holds in none.
 * An upper bound is a promise, which one round refutes.
 * <p>
 * A run that was to be durable and was not, or that failed, says nothing. Its row is left out, and the verdict says so.
 * Nor does a machine say anything of processors that it does not have. Eight sessions on two processors are no faster
 * than two, whatever they contend for. Such a claim keeps its figure, and is not testable.
 * <p>
 * Thread: any. Failure: rows of two cases that a claim cannot tell apart are an {@link IllegalArgumentException}.
 */
public final class Judge {
    /** Fewer rounds decide nothing. */
    static final int ROUNDS_MIN = 5;

    private Judge() {}

    /**
     * Returns the verdicts on each claim, one for each of the engines that can show it.
     *
     * @param processors returns how many an engine's machine has, or {@link Integer#MAX_VALUE} if nobody knows
     */
    public static List<Verdict> verdicts(
            List<Claim> claims, List<Row> rows, List<String> engines, ToIntFunction<String> processors) {
        return claims.stream()
                .flatMap(claim -> claim.test()
                        .map(test -> engines(claim, engines)
                                .map(engine ->
                                        on(processors.applyAsInt(engine), test, verdict(claim, test, rows, engine))))
                        .orElseGet(() -> Stream.of(none(claim))))
                .toList();
    }

    private static Verdict none(Claim claim) {
        Outcome outcome = claim.elsewhere().isEmpty() ? Outcome.NOT_TESTABLE : Outcome.ELSEWHERE;
        return new Verdict(claim, Verdict.NO_ENGINE, outcome, "", List.of(claim.whyNoSuite()));
    }

    private static Verdict on(int processors, Claim.Test test, Verdict verdict) {
        if (processors >= test.processors() || verdict.outcome() == Outcome.NOT_TESTABLE) {
            return verdict;
        }
        List<String> remarks = new ArrayList<>(verdict.remarks());
        remarks.add("needs " + test.processors() + " processors; this machine has " + processors);
        return new Verdict(
                verdict.claim(), verdict.engine(), Outcome.NOT_TESTABLE, verdict.measured(), List.copyOf(remarks));
    }

    /**
     * Returns the engines to judge. A claim on engines that this run lacks keeps them, so that the reader sees where to
     * measure.
     */
    private static Stream<String> engines(Claim claim, List<String> engines) {
        List<String> both = claim.engines().stream().filter(engines::contains).toList();
        return (both.isEmpty() ? claim.engines() : both).stream();
    }

    private static Verdict verdict(Claim claim, Claim.Test test, List<Row> rows, String engine) {
        List<Row> its = rows.stream()
                .filter(row -> row.suite().equals(test.suite()) && row.engine().equals(engine))
                .toList();
        if (its.isEmpty()) {
            String reason = "no rows of " + test.suite() + " on " + engine;
            return new Verdict(claim, engine, Outcome.NOT_TESTABLE, "", List.of(reason));
        }
        List<String> remarks = new ArrayList<>();
        Map<Integer, Row> of = usable(claim, its, test.of(), remarks);
        if (test.expectation() instanceof Claim.Range range) {
            return test.isRatio()
                    ? ratio(
                            new Finding(claim, engine, remarks),
                            range,
                            numbers(test, of, remarks),
                            numbers(test, usable(claim, its, test.against(), remarks), remarks))
                    : value(new Finding(claim, engine, remarks), range, numbers(test, of, remarks));
        }
        Claim.Word word = (Claim.Word) test.expectation();
        List<String> found = of.values().stream()
                .map(row -> row.cell(test.figure()))
                .filter(cell -> !cell.isEmpty())
                .toList();
        return word(new Finding(claim, engine, remarks), word, found);
    }

    /** Gathers what a verdict is made of. */
    private record Finding(Claim claim, String engine, List<String> remarks) {
        Verdict of(Outcome outcome, String measured) {
            return new Verdict(claim, engine, outcome, measured, List.copyOf(remarks));
        }

        Verdict tooFew(int rounds) {
            remarks.add((rounds == 0 ? "no figures" : rounds == 1 ? "1 round" : rounds + " rounds") + "; " + ROUNDS_MIN
                    + " are needed");
            return of(Outcome.NOT_TESTABLE, "");
        }
    }

    // --- rows ---------------------------------------------------------------------------------------------------

    /** Returns the rows of the one case, by round, without those that say nothing. */
    private static Map<Integer, Row> usable(
            Claim claim, List<Row> rows, Map<Dimension, String> values, List<String> remarks) {
        List<Row> its =
                rows.stream().filter(row -> Claims.fits(row.one(), values)).toList();
        if (its.stream().map(Row::one).distinct().count() > 1) {
            throw new IllegalArgumentException(claim.id() + ": " + values + " fits several cases: "
                    + its.stream().map(Row::one).distinct().toList());
        }
        its = without(its, Row::isFailed, "failed", Figure.NOTE, remarks);
        its = without(its, Judge::isNotAsDurable, Readings.NOT_DURABLE, Figure.WHY_NOT, remarks);
        Map<Integer, Row> byRound = new TreeMap<>();
        its.forEach(row -> byRound.put(row.round(), row));
        return byRound;
    }

    private static boolean isNotAsDurable(Row row) {
        return row.one().isDurable() && row.isNotDurable();
    }

    private static List<Row> without(
            List<Row> rows, Predicate<Row> saysNothing, String word, Figure reason, List<String> remarks) {
        List<Row> out = rows.stream().filter(saysNothing).toList();
        if (!out.isEmpty()) {
            String why = out.get(0).cell(reason.column());
            remarks.add(out.size() + " of " + rows.size() + " rows of '"
                    + out.get(0).one() + "' left out: " + word + (why.isEmpty() ? "" : " (" + why + ")"));
        }
        return rows.stream().filter(saysNothing.negate()).toList();
    }

    // --- figures ------------------------------------------------------------------------------------------------

    /** Returns the figure of each round that has one. */
    private static Map<Integer, Double> numbers(Claim.Test test, Map<Integer, Row> rows, List<String> remarks) {
        Formula formula = Formula.of(test.figure());
        Map<Integer, Double> numbers = new TreeMap<>();
        rows.forEach((round, row) -> {
            double number = formula.value(row);
            if (Double.isFinite(number)) {
                numbers.put(round, number);
            }
        });
        int absent = rows.size() - numbers.size();
        if (absent > 0) {
            remarks.add(absent + " of " + rows.size() + " rows of '"
                    + rows.values().iterator().next().one() + "' have no " + test.figure());
        }
        return numbers;
    }

    private static Verdict ratio(
            Finding finding, Claim.Range range, Map<Integer, Double> of, Map<Integer, Double> against) {
        List<Double> ratios = new ArrayList<>();
        int zeros = 0;
        for (Map.Entry<Integer, Double> one : of.entrySet()) {
            Double other = against.get(one.getKey());
            if (other != null && one.getValue() > 0 && other > 0) {
                ratios.add(one.getValue() / other);
            } else if (other != null) {
                zeros++;
            }
        }
        if (zeros > 0) {
            finding.remarks().add("rounds with a figure of 0, and so without a ratio: " + zeros);
        }
        if (ratios.size() < ROUNDS_MIN) {
            return finding.tooFew(ratios.size());
        }
        MeanRatio mean =
                MeanRatio.of(ratios.stream().mapToDouble(Double::doubleValue).toArray());
        return finding.of(
                outcome(range, mean),
                Numbers.significant(mean.mean()) + " (" + Numbers.significant(mean.low()) + " to "
                        + Numbers.significant(mean.high()) + "), " + ratios.size() + " rounds");
    }

    private static Outcome outcome(Claim.Range range, MeanRatio ratio) {
        boolean up = range.atLeast() >= 1;
        if (!up && range.atMost() > 1) {
            return range.contains(ratio.low()) && range.contains(ratio.high())
                    ? Outcome.CONFIRMED
                    : ratio.high() < range.atLeast() || ratio.low() > range.atMost()
                            ? Outcome.REFUTED
                            : Outcome.UNDECIDED;
        }
        if (up ? ratio.high() < 1 : ratio.low() > 1) {
            return Outcome.REFUTED;
        }
        if (up ? ratio.low() <= 1 : ratio.high() >= 1) {
            boolean missed = up ? ratio.high() < range.atLeast() : ratio.low() > range.atMost();
            return missed ? Outcome.REFUTED : Outcome.UNDECIDED;
        }
        return range.contains(ratio.mean()) ? Outcome.CONFIRMED : Outcome.PARTLY;
    }

    private static Verdict value(Finding finding, Claim.Range range, Map<Integer, Double> found) {
        double[] values =
                found.values().stream().mapToDouble(Double::doubleValue).toArray();
        if (values.length < ROUNDS_MIN) {
            return finding.tooFew(values.length);
        }
        long holds = Arrays.stream(values).filter(range::contains).count();
        boolean promise = range.atMost() < Double.POSITIVE_INFINITY;
        Outcome outcome =
                holds == values.length ? Outcome.CONFIRMED : holds == 0 || promise ? Outcome.REFUTED : Outcome.PARTLY;
        return finding.of(
                outcome,
                Numbers.significant(Numbers.median(values)) + " ("
                        + Numbers.significant(Arrays.stream(values).min().orElseThrow()) + " to "
                        + Numbers.significant(Arrays.stream(values).max().orElseThrow()) + "), " + values.length
                        + " rounds");
    }

    private static Verdict word(Finding finding, Claim.Word word, List<String> found) {
        if (found.size() < ROUNDS_MIN) {
            return finding.tooFew(found.size());
        }
        long holds = found.stream()
                .filter(name -> word.pattern().matcher(name).matches())
                .count();
        Outcome outcome = holds == found.size() ? Outcome.CONFIRMED : holds == 0 ? Outcome.REFUTED : Outcome.PARTLY;
        return finding.of(
                outcome,
                String.join(", ", found.stream().distinct().sorted().toList()) + "; as claimed in " + holds + " of "
                        + found.size() + " rounds");
    }
}
