package io.ringtable.broker.home.directory;

import io.ringtable.broker.store.directory.DirectoryStore;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** A directory whose store is asked by the test's thread, one task at a time, and which never waits. */
public final class SteppedDirectory {
    private static final int SHARDS = 8; // more than any test has

    private final Tasks tasks = new Tasks();
    private final Directory directory;

    public SteppedDirectory(DirectoryStore store) {
        this(store, SHARDS, () -> 0, () -> {});
    }

    /** @param shards how many the node knows */
    SteppedDirectory(DirectoryStore store, int shards) {
        this(store, shards, () -> 0, () -> {});
    }

    SteppedDirectory(DirectoryStore store, LongSupplier nanoTime, Runnable pause) {
        this(store, SHARDS, nanoTime, pause);
    }

    private SteppedDirectory(DirectoryStore store, int shards, LongSupplier nanoTime, Runnable pause) {
        directory = new Directory(store, shards, tasks, nanoTime, pause);
    }

    public Directory directory() {
        return directory;
    }

    /** @return whether there was something to do */
    public boolean turn() {
        Runnable task = tasks.queue.poll();
        if (task != null) {
            task.run();
        }
        return task != null;
    }

    private static final class Tasks extends AbstractExecutorService {
        private final Queue<Runnable> queue = new ArrayDeque<>();

        @Override
        public void execute(Runnable task) {
            queue.add(task);
        }

        @Override
        public void shutdown() {
            queue.clear();
        }

        @Override
        public List<Runnable> shutdownNow() {
            queue.clear();
            return List.of();
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public boolean isTerminated() {
            return queue.isEmpty();
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return true;
        }
    }
}
