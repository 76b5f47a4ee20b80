package io.ringtable.benchmarks.suite;

import java.util.List;
import java.util.Map;

/**
 * Answers one question with cases that take turns.
 *
 * @param name unique, in kebab-case
 * @param question what the cases answer
 * @param about what a reader has to know of the designs; may be empty
 * @param engines that can answer it
 * @param cases of each profile
 * @param charts that draw the answer
 */
public record Suite(
        String name,
        String question,
        String about,
        List<String> engines,
        Map<Profile, List<Case>> cases,
        List<Chart> charts) {

    /**
     * Says how a chart draws the suite's medians.
     *
     * @param x columns along whose values together the points lie
     * @param y column of the value, or two of them with a slash between
     * @param series column that tells the lines apart; the charts of a suite are repeated for each value of the others
     */
    public record Chart(List<String> x, String y, String series) {}
}
