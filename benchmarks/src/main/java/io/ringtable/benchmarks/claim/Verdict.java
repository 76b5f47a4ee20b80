package io.ringtable.benchmarks.claim;

import java.util.List;

/**
 * Says what the rows of one engine show of a claim.
 *
 * @param measured the ratio with its interval and rounds, or the figure itself; empty if there is none
 * @param remarks why there is no figure, and which rows were left out
 */
public record Verdict(Claim claim, String engine, Outcome outcome, String measured, List<String> remarks) {
    /** Stands for an engine where the claim cannot be shown on any. */
    public static final String NO_ENGINE = "none";

    /** Names what the rows show. */
    public enum Outcome {
        /** The figures are as the author says. */
        CONFIRMED("confirmed"),
        /** The direction holds, and the size is not reached. */
        PARTLY("partly"),
        /** The figures say the opposite, or exclude the claimed size and show no gain. */
        REFUTED("refuted"),
        /** The interval contains both answers. */
        UNDECIDED("undecided"),
        /** There are no figures, too few, or of too small a machine. */
        NOT_TESTABLE("not testable"),
        /** Another command has the figures. */
        ELSEWHERE("measured elsewhere");

        private final String words;

        Outcome(String words) {
            this.words = words;
        }

        /** Returns the words for a reader. */
        @Override
        public String toString() {
            return words;
        }
    }

    /** Returns the command that shows the claim. */
    public String command() {
        return claim.showing(engine);
    }
}
