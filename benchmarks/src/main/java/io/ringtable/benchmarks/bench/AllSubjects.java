package io.ringtable.benchmarks.bench;

import io.ringtable.benchmarks.checkpoint.CheckpointSubjects;
import io.ringtable.benchmarks.design.DesignSubjects;
import io.ringtable.benchmarks.engine.Databases;
import io.ringtable.benchmarks.flush.FlushSubjects;
import io.ringtable.benchmarks.suite.Case;
import io.ringtable.benchmarks.suite.Subject;
import io.ringtable.benchmarks.suite.Subjects;
import java.util.Optional;

/** Finds who measures a case, by its design. Thread: the main one. */
final class AllSubjects implements Subjects {
    private final DesignSubjects designs;
    private final CheckpointSubjects checkpoints;
    private final FlushSubjects flushes;

    AllSubjects(Databases databases) {
        designs = new DesignSubjects(databases);
        checkpoints = new CheckpointSubjects(databases);
        flushes = new FlushSubjects(databases);
    }

    @Override
    public Optional<String> whyNot(String engine, Case one) {
        return of(one).whyNot(engine, one);
    }

    @Override
    public Subject open(String engine, Case one) {
        return of(one).open(engine, one);
    }

    private Subjects of(Case one) {
        if (checkpoints.has(one)) {
            return checkpoints;
        }
        return flushes.has(one) ? flushes : designs;
    }
}
