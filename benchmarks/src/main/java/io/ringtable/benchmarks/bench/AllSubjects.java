package io.ringtable.benchmarks.bench;

import io.ringtable.benchmarks.checkpoint.CheckpointSubjects;
import io.ringtable.benchmarks.design.DesignSubjects;
import io.ringtable.benchmarks.engine.Databases;
import io.ringtable.benchmarks.suite.Case;
import io.ringtable.benchmarks.suite.Subject;
import io.ringtable.benchmarks.suite.Subjects;
import java.util.Optional;

/** Finds who measures a case, by its design. Thread: the main one. */
final class AllSubjects implements Subjects {
    private final DesignSubjects designs;
    private final CheckpointSubjects checkpoints;

    AllSubjects(Databases databases) {
        designs = new DesignSubjects(databases);
        checkpoints = new CheckpointSubjects(databases);
    }

    @Override
    public Optional<String> whyNot(String engine, Case one) {
        if (!designs.has(one) && !checkpoints.has(one)) {
            return Optional.of("not there yet");
        }
        return of(one).whyNot(engine, one);
    }

    @Override
    public Subject open(String engine, Case one) {
        return of(one).open(engine, one);
    }

    private Subjects of(Case one) {
        return checkpoints.has(one) ? checkpoints : designs;
    }
}
