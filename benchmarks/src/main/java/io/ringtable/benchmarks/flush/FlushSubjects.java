package io.ringtable.benchmarks.flush;

import io.ringtable.benchmarks.engine.Databases;
import io.ringtable.benchmarks.suite.Case;
import io.ringtable.benchmarks.suite.Dimension;
import io.ringtable.benchmarks.suite.Subject;
import io.ringtable.benchmarks.suite.Subjects;
import java.util.Optional;

/** Opens the forms of the flush for the suites. Thread: the runner's. */
public final class FlushSubjects implements Subjects {
    private final Databases databases;

    public FlushSubjects(Databases databases) {
        this.databases = databases;
    }

    /** Returns whether a case is of a flush. */
    public boolean has(Case one) {
        return Idea.of(one.design()).isPresent();
    }

    @Override
    public Optional<String> whyNot(String engine, Case one) {
        return Optional.empty(); // each engine has all of them
    }

    @Override
    public Subject open(String engine, Case one) {
        return new FlushSubject(
                databases,
                engine,
                Idea.of(one.design()).orElseThrow(),
                one.number(Dimension.SUBSCRIBERS),
                one.number(Dimension.PUSHERS),
                one.number(Dimension.BATCH));
    }
}
