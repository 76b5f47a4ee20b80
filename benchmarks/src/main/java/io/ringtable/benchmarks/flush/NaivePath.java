package io.ringtable.benchmarks.flush;

import io.ringtable.benchmarks.engine.BenchmarkDatabase;
import io.ringtable.benchmarks.store.NaiveWorkload;
import io.ringtable.benchmarks.store.Shape;
import java.util.Optional;

/** Flushes into the naive queue at its best, as the flush's measure. Thread: one at a time. */
final class NaivePath implements FlushPath {
    private final NaiveWorkload workload;

    NaivePath(BenchmarkDatabase database, int subscribers) {
        workload = new NaiveWorkload(database, Shape.of(1).withSubscribers(subscribers));
    }

    @Override
    public void flush(int messages) {
        workload.commit(messages);
    }

    @Override
    public Optional<String> whyNotDurable() {
        return workload.whyNotDurable();
    }

    @Override
    public void close() {
        workload.closeSession();
    }
}
