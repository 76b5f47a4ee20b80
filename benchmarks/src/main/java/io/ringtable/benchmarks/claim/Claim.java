package io.ringtable.benchmarks.claim;

import io.ringtable.benchmarks.suite.Dimension;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Says what an author claims, and which figure of which cases shows it.
 *
 * @param id unique, in kebab-case
 * @param says the claim in one sentence
 * @param source author and title
 * @param claimed the author's own figures, and the bound where the author has none
 * @param engines that can show it
 * @param command for a claim that no suite shows: the way to see it
 * @param test absent if no suite shows it
 * @param notTestable why nothing here can show it; empty if something does
 * @param elsewhere where the figures of another command stand that shows it; empty if there is none
 */
public record Claim(
        String id,
        String says,
        String source,
        String claimed,
        List<String> engines,
        String command,
        Optional<Test> test,
        String notTestable,
        String elsewhere) {

    /**
     * Compares a figure of two cases round by round; or looks at that of one case, if {@code against} is empty.
     *
     * @param figure one column, or two of them with a slash between
     * @param of values that only one case of the suite has
     * @param against values of the other case
     * @param processors that have to work at the same time; with fewer the figure says nothing of the claim
     */
    public record Test(
            String suite,
            String figure,
            Map<Dimension, String> of,
            Map<Dimension, String> against,
            Expectation expectation,
            int processors) {

        boolean isRatio() {
            return !against.isEmpty();
        }
    }

    /** Says which figures bear a claim out. */
    public sealed interface Expectation {}

    /**
     * Expects a number within bounds.
     *
     * @param atLeast 0 if there is only an upper bound
     * @param atMost infinite if there is only a lower bound
     */
    public record Range(double atLeast, double atMost) implements Expectation {
        boolean contains(double value) {
            return value >= atLeast && value <= atMost;
        }
    }

    /** Expects a word, such as the name of a wait. */
    public record Word(Pattern pattern) implements Expectation {}

    /** Returns why no suite shows the claim. */
    public String whyNoSuite() {
        return elsewhere.isEmpty() ? notTestable : elsewhere;
    }

    /** Returns the command that shows the claim, on each engine that can. */
    public String showing() {
        return test.map(shown -> "bin/ringtable bench --suite " + shown.suite()).orElse(command);
    }

    /** Returns the command that shows the claim on an engine. */
    public String showing(String engine) {
        return test.isPresent() ? showing() + " --engine " + engine : showing();
    }
}
