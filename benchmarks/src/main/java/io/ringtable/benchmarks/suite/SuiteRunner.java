package io.ringtable.benchmarks.suite;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Runs the cases of a suite in turn, round after round. Each round begins with another case, so that no case always has
 * the place behind the same other one. A neighbour disturbs all cases of a round alike.
 * <p>
 * Thread: the caller's; {@link #stop} is called by any. Failure: a case that fails has a row that says why, and the
 * others go on.
 */
public final class SuiteRunner {
    private final Subjects subjects;
    private final Results results;
    private final Profile profile;
    private final Consumer<String> progress;
    private volatile boolean stopped; // written by the thread that stops

    /** @param progress hears what each run is before it begins */
    public SuiteRunner(Subjects subjects, Results results, Profile profile, Consumer<String> progress) {
        this.subjects = subjects;
        this.results = results;
        this.profile = profile;
        this.progress = progress;
    }

    /** Ends the run at hand's suite behind it; what is measured stays. */
    public void stop() {
        stopped = true;
    }

    public boolean isStopped() {
        return stopped;
    }

    /** Returns the number of runs that {@link #run} has yet to measure. */
    public int runs(Suite suite, String engine) {
        return (int) IntStream.range(0, profile.rounds())
                .mapToLong(round -> cases(suite, engine).stream()
                        .filter(one -> !results.has(suite.name(), engine, one, round))
                        .count())
                .sum();
    }

    private List<Case> cases(Suite suite, String engine) {
        return suite.cases().get(profile).stream()
                .filter(one -> subjects.whyNot(engine, one).isEmpty())
                .toList();
    }

    /** Measures what is not measured yet. */
    public void run(Suite suite, String engine) {
        List<Case> cases = cases(suite, engine);
        Map<Case, Subject> open = new LinkedHashMap<>(); // closed in the order of their opening
        try {
            for (int round = 0; round < profile.rounds(); round++) {
                for (int i = 0; i < cases.size() && !stopped; i++) {
                    Case one = cases.get((i + round) % cases.size());
                    if (!results.has(suite.name(), engine, one, round)) {
                        progress.accept(engine + ", " + suite.name() + ": " + one);
                        results.add(new Row(suite.name(), engine, one, round, measure(open, engine, one)));
                    }
                }
            }
        } finally {
            open.values().forEach(Subject::close);
        }
    }

    private Map<Figure, String> measure(Map<Case, Subject> open, String engine, Case one) {
        try {
            Subject subject = open.get(one);
            if (subject == null) {
                subject = subjects.open(engine, one);
                open.put(one, subject);
            }
            return subject.measure(profile.each());
        } catch (RuntimeException e) {
            return Map.of(Figure.NOTE, Row.FAILED + e);
        }
    }
}
