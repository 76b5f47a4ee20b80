package io.ringtable.benchmarks.design;

import io.ringtable.benchmarks.engine.Databases;
import io.ringtable.benchmarks.suite.Case;
import io.ringtable.benchmarks.suite.Dimension;
import io.ringtable.benchmarks.suite.Subject;
import io.ringtable.benchmarks.suite.Subjects;
import java.util.Optional;

/** Opens the articles' designs for the suites. Thread: the runner's. */
public final class DesignSubjects implements Subjects {
    private final Designs designs = Designs.ofTheBuild();
    private final Databases databases;

    public DesignSubjects(Databases databases) {
        this.databases = databases;
    }

    /** Returns whether a case is of a design. */
    public boolean has(Case one) {
        return designs.has(one.design());
    }

    @Override
    public Optional<String> whyNot(String engine, Case one) {
        return designs.of(one.design()).whyNot(engine);
    }

    @Override
    public Subject open(String engine, Case one) {
        QueueShape shape = new QueueShape(
                one.number(Dimension.BATCH),
                one.number(Dimension.BODY_BYTES),
                one.number(Dimension.SUBSCRIBERS),
                one.number(Dimension.RING_SIZE));
        Design design = designs.of(one.design());
        DesignDatabase database = DesignDatabase.create(databases.create(engine), design, shape, one.isDurable());
        return new DesignSubject(
                database,
                one.number(Dimension.PUSHERS),
                one.number(Dimension.POPPERS),
                one.number(Dimension.HEAD_START),
                design.isAged(engine));
    }
}
