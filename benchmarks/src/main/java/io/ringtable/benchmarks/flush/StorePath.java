package io.ringtable.benchmarks.flush;

import io.ringtable.benchmarks.engine.BenchmarkDatabase;
import io.ringtable.benchmarks.store.RingWorkload;
import io.ringtable.benchmarks.store.Shape;
import io.ringtable.broker.ring.RingGeometry;
import java.util.Optional;

/** Flushes through Ringtable's store. Thread: one at a time. */
final class StorePath implements FlushPath {
    private final BenchmarkDatabase database;
    private final RingWorkload workload;
    private final boolean readsBack;

    /** @param slots of a ring that is not reclaimed, at least */
    StorePath(BenchmarkDatabase database, Idea idea, int subscribers, int slots) {
        this.database = database;
        workload = new RingWorkload(
                database,
                Shape.of(1).withSubscribers(subscribers),
                idea == Idea.FLUSH_NO_BACKLOG ? atLeast(slots) : RingWorkload.GEOMETRY);
        readsBack = idea == Idea.FLUSH_READ_BACK;
    }

    private static RingGeometry atLeast(int slots) {
        return new RingGeometry(
                (slots + RingGeometry.CAPACITY_STEP - 1) / RingGeometry.CAPACITY_STEP * RingGeometry.CAPACITY_STEP);
    }

    @Override
    public void flush(int messages) {
        workload.commit(messages);
        if (readsBack) {
            workload.readBack();
        }
    }

    @Override
    public Optional<String> whyNotDurable() {
        return workload.whyDelayed().or(database::whyNotOnDisk);
    }

    @Override
    public void close() {
        workload.closeStore();
    }
}
