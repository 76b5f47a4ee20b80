package io.ringtable.benchmarks.suite;

import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Says how long the suites take. Thread: any. */
public enum Profile {
    /** Minutes for all suites: shows that everything runs, and what differs by much. */
    QUICK(5, Duration.ofMillis(200)),
    /** Half an hour for each engine and more. */
    STANDARD(7, Duration.ofSeconds(1)),
    /** Hours, with the articles' own sizes. */
    FULL(12, Duration.ofSeconds(5)),
    /** Half a minute for each engine: each design and each value once, so that none rots; its figures mean nothing. */
    SMOKE(1, Duration.ofMillis(20));

    private final int rounds;
    private final Duration each;

    Profile(int rounds, Duration each) {
        this.rounds = rounds;
        this.each = each;
    }

    /** Returns how often each case is measured. */
    public int rounds() {
        return rounds;
    }

    /** Returns how long each measurement takes, without its warm-up. */
    public Duration each() {
        return each;
    }

    /** Returns the profile whose cases it measures. */
    Profile cases() {
        return this == SMOKE ? QUICK : this;
    }

    /** Returns the case as this profile measures it. */
    Case fit(Case one) {
        return this == SMOKE ? one.small() : one;
    }

    /** Returns the cases that it measures of those that a suite has, in their order. */
    List<Case> choose(Collection<Case> cases) {
        Set<Map.Entry<Dimension, String>> shown = new HashSet<>();
        return cases.stream()
                .filter(one -> shown.addAll(one.values().entrySet()) || this != SMOKE)
                .toList();
    }

    /** Returns the name for a command line and for {@code suites.yaml}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
