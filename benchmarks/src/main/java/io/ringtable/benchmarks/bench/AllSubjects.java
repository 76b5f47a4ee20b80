package io.ringtable.benchmarks.bench;

import io.ringtable.benchmarks.design.DesignSubjects;
import io.ringtable.benchmarks.engine.Databases;
import io.ringtable.benchmarks.suite.Case;
import io.ringtable.benchmarks.suite.Subject;
import io.ringtable.benchmarks.suite.Subjects;
import java.util.Optional;

/** Finds who measures a case, by its design. Thread: the main one. */
final class AllSubjects implements Subjects {
    private final DesignSubjects designs;

    AllSubjects(Databases databases) {
        designs = new DesignSubjects(databases);
    }

    @Override
    public Optional<String> whyNot(String engine, Case one) {
        return designs.has(one) ? designs.whyNot(engine, one) : Optional.of("not there yet");
    }

    @Override
    public Subject open(String engine, Case one) {
        return designs.open(engine, one);
    }
}
