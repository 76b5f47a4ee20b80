package io.ringtable.benchmarks.checkpoint;

import io.ringtable.benchmarks.engine.Databases;
import io.ringtable.benchmarks.suite.Case;
import io.ringtable.benchmarks.suite.Dimension;
import io.ringtable.benchmarks.suite.Subject;
import io.ringtable.benchmarks.suite.Subjects;
import java.util.Optional;

/** Opens tables for the suite of checkpoints. Thread: the runner's. */
public final class CheckpointSubjects implements Subjects {
    private final Databases databases;

    public CheckpointSubjects(Databases databases) {
        this.databases = databases;
    }

    /** Returns whether a case is of a checkpoint. */
    public boolean has(Case one) {
        return CheckpointDesign.of(one.design()).isPresent();
    }

    @Override
    public Optional<String> whyNot(String engine, Case one) {
        return design(one).whyNot(engine);
    }

    /** Creates a table with a page for each slot that the case has. */
    @Override
    public Subject open(String engine, Case one) {
        return CheckpointSubject.create(databases.create(engine), design(one), one.number(Dimension.RING_SIZE));
    }

    private static CheckpointDesign design(Case one) {
        return CheckpointDesign.of(one.design())
                .orElseThrow(() -> new IllegalArgumentException("design=" + one.design() + " is no checkpoint"));
    }
}
