package io.ringtable.benchmarks.flush;

import io.ringtable.benchmarks.design.PushAndPop;
import io.ringtable.benchmarks.engine.BenchmarkDatabase;
import io.ringtable.benchmarks.store.Shape;
import java.util.Optional;

/**
 * Commits through a design of the articles. A batch that goes in has a commit, and the same batch that goes out has
 * another one. So have the statistics of each. Thread: one at a time.
 */
final class DesignPath implements FlushPath {
    private final BenchmarkDatabase database;
    private final PushAndPop queue;

    DesignPath(BenchmarkDatabase database, String design) {
        this.database = database;
        queue = new PushAndPop(database, design, Shape.BODY_BYTES);
    }

    @Override
    public void flush(int messages) {
        queue.batch(messages);
    }

    @Override
    public Optional<String> whyNotDurable() {
        return database.whyNotOnDisk();
    }

    @Override
    public void close() {
        queue.close();
    }
}
