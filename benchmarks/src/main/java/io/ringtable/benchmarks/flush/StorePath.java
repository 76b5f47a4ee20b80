package io.ringtable.benchmarks.flush;

import io.ringtable.benchmarks.engine.BenchmarkDatabase;
import io.ringtable.benchmarks.store.RingWorkload;
import io.ringtable.benchmarks.store.Shape;
import io.ringtable.broker.ring.RingGeometry;

/** Flushes through Ringtable's store. Thread: one at a time. */
final class StorePath implements FlushPath {
    /** More than a run of the profile full publishes between two reclaims. */
    private static final RingGeometry LARGE = new RingGeometry(1 << 21);

    private final RingWorkload workload;
    private final boolean readsBack;

    StorePath(BenchmarkDatabase database, Idea idea, int subscribers) {
        workload = new RingWorkload(
                database,
                Shape.of(1).withSubscribers(subscribers),
                idea == Idea.FLUSH_NO_BACKLOG ? LARGE : RingWorkload.GEOMETRY);
        readsBack = idea == Idea.FLUSH_READ_BACK;
    }

    @Override
    public void flush(int messages) {
        workload.commit(messages);
        if (readsBack) {
            workload.readBack();
        }
    }

    @Override
    public void close() {
        workload.closeStore();
    }
}
