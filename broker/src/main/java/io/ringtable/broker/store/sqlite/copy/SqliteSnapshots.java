package io.ringtable.broker.store.sqlite.copy;

import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.StoreFailure.Kind;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Reads all files of a store as of one moment: none of them was written between the first snapshot and the last one. A
 * message that was consumed in one shard and its answer in another are then both in a copy, or neither is.
 * <p>
 * Taking snapshots keeps no writer waiting, so writers may come in between; then they are taken anew.
 * <p>
 * Thread: the caller's.
 */
final class SqliteSnapshots implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1); // leaves the processor to the writers

    private final List<SqliteSnapshot> all = new ArrayList<>();

    /** Opens the files, which have no snapshots yet. */
    static SqliteSnapshots open(List<Path> files) {
        SqliteSnapshots opened = new SqliteSnapshots();
        try {
            files.forEach(file -> opened.all.add(SqliteSnapshot.open(file)));
            return opened;
        } catch (RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    /** @return an instant: everything that had been committed by then is in the snapshots */
    Instant take() {
        return take(PATIENCE, () -> {});
    }

    /**
     * Takes snapshots until nobody has written in between.
     *
     * @param patience how long to try
     * @param taken runs behind each snapshot
     */
    Instant take(Duration patience, Runnable taken) {
        long end = System.nanoTime() + patience.toNanos();
        while (true) {
            List<Integer> commits = commits();
            Instant before = Instant.now();
            for (SqliteSnapshot each : all) {
                each.take();
                taken.run();
            }
            if (all.size() == 1 || commits().equals(commits)) {
                return before;
            }
            all.forEach(SqliteSnapshot::release);
            if (System.nanoTime() - end > 0) {
                throw new StoreFailure(
                        Kind.UNAVAILABLE,
                        "RT-3081",
                        "for " + patience.toMillis() + " ms there was no moment in which none of the " + all.size()
                                + " files of the store was written: back up when less is published");
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private List<Integer> commits() {
        return all.stream().map(SqliteSnapshot::commits).toList();
    }

    /** Copies the snapshots, each into its empty file. */
    void copy(List<Path> into, CopyListener listener) {
        long total = all.stream().mapToLong(SqliteSnapshot::bytes).sum();
        long before = 0;
        for (int i = 0; i < all.size(); i++) {
            long earlier = before;
            before += all.get(i).bytes();
            all.get(i).copy(into.get(i), bytes -> listener.copied(earlier + bytes, total));
        }
    }

    @Override
    public void close() {
        all.forEach(SqliteSnapshot::close);
    }
}
