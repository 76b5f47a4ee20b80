package io.ringtable.benchmarks.suite;

import java.time.Duration;
import java.util.Locale;

/** Says how long the suites take. Thread: any. */
public enum Profile {
    /** Minutes for all suites: shows that everything runs, and what differs by much. */
    QUICK(5, Duration.ofMillis(250)),
    /** About an hour for each engine. */
    STANDARD(7, Duration.ofSeconds(2)),
    /** Hours, with the articles' own sizes. */
    FULL(12, Duration.ofSeconds(5)),
    /** A minute for each engine: each case once, so that none rots; its figures mean nothing. */
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

    /** Returns the name for a command line and for {@code suites.yaml}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
