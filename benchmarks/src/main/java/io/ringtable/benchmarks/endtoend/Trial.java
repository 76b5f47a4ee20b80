package io.ringtable.benchmarks.endtoend;

import io.ringtable.benchmarks.endtoend.figure.Figure;
import io.ringtable.benchmarks.endtoend.figure.Figures;
import io.ringtable.benchmarks.endtoend.figure.Reading;
import java.util.function.Supplier;

/**
 * Runs one scenario on one kind of subject, from an empty store on. Thread: main.
 *
 * @param seconds how long a load is watched
 * @param warmup how long it runs before, for the JVMs' compilers
 * @param messages how many messages a backlog has
 * @param soak how many seconds a soak takes
 */
record Trial(double seconds, double warmup, long messages, double soak) {
    private static final int SAMPLES_MAX = 60; // of a soak, none shorter than a second

    /** Takes the figures as soon as they are there. */
    interface Listener {

        /**
         * Takes the figures of a part of the scenario.
         *
         * @param part empty for a scenario of one part
         */
        void found(String part, Figures figures);

        /** Takes the figures of a stretch of a soak that ends after so many seconds. */
        void sampled(double second, Figures figures);
    }

    void run(Scenario scenario, Supplier<Subject> start, Listener listener) {
        switch (scenario.kind()) {
            case STEADY -> listener.found("", steady(scenario, start));
            case BACKLOG -> backlog(scenario, start, listener);
            case SOAK -> soak(scenario, start, listener);
        }
    }

    private Figures steady(Scenario scenario, Supplier<Subject> start) {
        try (Subject subject = start.get();
                Load load = Load.begin(scenario, subject)) {
            load.rest(warmup);
            return load.watch(seconds);
        }
    }

    /** Fills the queue without consumers, then empties it without publishers; warms up with both. */
    private void backlog(Scenario scenario, Supplier<Subject> start, Listener listener) {
        try (Subject subject = start.get();
                Load load = Load.begin(scenario, subject)) {
            load.rest(warmup);
            load.finish();
            Reading before = load.read();
            load.publish(messages);
            load.awaitAccepted(before.accepted() + messages);
            Reading full = load.read();
            listener.found("build", Figures.between(before, full));
            load.consume();
            load.awaitReceived(full.accepted());
            listener.found("drain", Figures.between(full, load.read()));
        }
    }

    /** Holds half of the rate that the slower side reached at full speed, unless the scenario names a rate. */
    private void soak(Scenario scenario, Supplier<Subject> start, Listener listener) {
        Scenario held = scenario;
        if (scenario.rate() == 0) {
            Figures top = steady(scenario, start);
            listener.found("top", top);
            double rate = Math.min(top.get(Figure.ACCEPTED_PER_S), top.get(Figure.RECEIVED_PER_S));
            held = scenario.withRate((int) Math.max(1, rate / 2));
        }
        try (Subject subject = start.get();
                Load load = Load.begin(held, subject)) {
            load.rest(warmup);
            int samples = (int) Math.max(1, Math.min(SAMPLES_MAX, soak));
            Reading first = load.read();
            Reading last = first;
            for (int i = 1; i <= samples; i++) {
                double second = soak * i / samples;
                load.rest(second - (System.nanoTime() - first.nanos()) / 1e9);
                Reading now = load.readAfter(last);
                listener.sampled(second, Figures.between(last, now));
                last = now;
            }
            listener.found("half", Figures.between(first, last));
        }
    }
}
