package io.ringtable.benchmarks.flush;

import io.ringtable.benchmarks.engine.Databases;
import io.ringtable.benchmarks.engine.PostgresServer;
import io.ringtable.benchmarks.option.Options;
import io.ringtable.benchmarks.report.Manifest;
import io.ringtable.benchmarks.report.Numbers;
import io.ringtable.benchmarks.report.RawData;
import io.ringtable.benchmarks.report.Table;
import io.ringtable.benchmarks.store.Workloads;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures what an open snapshot does to a steady stream on PostgreSQL: time of a commit and size of the database,
 * stretch by stretch.
 * <p>
 * Each design has two databases of one server, which get the same stream, commit by commit in turn. A snapshot is held
 * in one of them. PostgreSQL decides database by database which rows a snapshot keeps alive. Both databases see the
 * same neighbours, so their ratio is the answer. The designs run side by side, each in a thread of its own. Their
 * ratios compare; their times hold for a server with all of them.
 * <p>
 * {@code snapshot [designs=ring,count_in_row,naive] [rate=1000] [batch=10] [stretches=30] [seconds=60]}.
 * {@code count_in_row} is the articles' ring: 20,000 slots that are updated in place, each with its reference count.
 * Thread: main.
 */
public final class SnapshotHeld {
    private static final double WARM_UP_SECONDS_MAX = 10;

    private final Databases databases;
    private final RawData raw;
    private final int batch;
    private final long interval;
    private final int stretches;
    private final double seconds;

    private SnapshotHeld(Databases databases, RawData raw, Options options) {
        this.databases = databases;
        this.raw = raw;
        this.batch = options.number("batch", 10);
        this.interval = TimeUnit.SECONDS.toNanos(1) * batch / options.number("rate", 1_000);
        this.stretches = options.number("stretches", 30);
        this.seconds = options.decimal("seconds", 60);
    }

    public static void main(String[] args) throws InterruptedException {
        Options options = new Options(args, "designs", "rate", "batch", "stretches", "seconds");
        String manifest = Manifest.describe() + "\nsnapshot " + String.join(" ", args);
        System.out.println(manifest);
        try (Databases databases = new Databases()) {
            String description = Workloads.describe(databases, Databases.POSTGRESQL);
            System.out.println(description);
            try (RawData raw = new RawData(
                    "postgresql-snapshot",
                    manifest + "\n" + description,
                    "design,held,stretch,commits,commit_median_ms,commit_p99_ms,database_bytes")) {
                SnapshotHeld run = new SnapshotHeld(databases, raw, options);
                System.out.println(run.sideBySide(options.list("designs", "ring,count_in_row,naive")));
            }
        }
    }

    private Table sideBySide(List<String> designs) throws InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(designs.size());
        try {
            List<Future<List<Pair>>> running = designs.stream()
                    .map(design -> threads.submit(() -> run(design)))
                    .toList();
            Table table = new Table(
                    "design",
                    "after s",
                    "msg/s",
                    "held",
                    "commit ms",
                    "held",
                    "x",
                    "p99 ms",
                    "held",
                    "database MB",
                    "held",
                    "x");
            for (int i = 0; i < designs.size(); i++) {
                for (Pair pair : running.get(i).get()) {
                    pair.fill(table, designs.get(i), seconds, batch);
                }
            }
            return table;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } finally {
            threads.shutdownNow();
        }
    }

    private List<Pair> run(String design) throws SQLException {
        List<Pair> pairs = new ArrayList<>();
        try (Stream free = open(design);
                Stream troubled = open(design)) {
            commit(free, troubled, Math.min(WARM_UP_SECONDS_MAX, seconds));
            free.stretch();
            troubled.stretch();
            try (Connection snapshot = troubled.database.holdSnapshot()) {
                for (int i = 1; i <= stretches; i++) {
                    commit(free, troubled, seconds);
                    Pair pair = new Pair(i, free.stretch(), troubled.stretch());
                    write(design, "no", i, pair.free);
                    write(design, "yes", i, pair.held);
                    pairs.add(pair);
                }
                snapshot.rollback();
            }
        }
        return pairs;
    }

    /** Commits to both at the intended rate, and catches up after a delay. */
    private void commit(Stream free, Stream troubled, double seconds) {
        long end = System.nanoTime() + (long) (seconds * 1e9);
        for (long intended = System.nanoTime(); System.nanoTime() < end; intended += interval) {
            for (long left; (left = intended - System.nanoTime()) > 0; ) {
                LockSupport.parkNanos(left);
            }
            free.commit();
            troubled.commit();
        }
    }

    private void write(String design, String held, int i, Stretch s) {
        synchronized (raw) {
            raw.row(design, held, i, s.commits, s.medianMs, s.p99Ms, s.databaseBytes);
        }
    }

    private Stream open(String design) {
        PostgresServer.Database database = (PostgresServer.Database) databases.create(Databases.POSTGRESQL);
        FlushPath path = switch (design) {
            case "ring" -> new StorePath(database, Idea.FLUSH, 1, 0);
            case "count_in_row" -> new DesignPath(database, "ring");
            case "naive" -> new NaivePath(database, 1);
            default ->
                throw new IllegalArgumentException("design=" + design + " is none of ring, count_in_row and naive");
        };
        return new Stream(database, path, batch);
    }

    /** Measures the commits of one database; closing it removes the database. */
    private static final class Stream implements AutoCloseable {
        private final PostgresServer.Database database;
        private final FlushPath path;
        private final int batch;
        private final List<Double> millis = new ArrayList<>(); // of the commits of this stretch

        Stream(PostgresServer.Database database, FlushPath path, int batch) {
            this.database = database;
            this.path = path;
            this.batch = batch;
        }

        void commit() {
            long before = System.nanoTime();
            path.flush(batch);
            millis.add((System.nanoTime() - before) / 1e6);
        }

        Stretch stretch() throws SQLException {
            double[] all = millis.stream().mapToDouble(Double::doubleValue).toArray();
            millis.clear();
            return new Stretch(
                    all.length, Numbers.percentile(all, 0.5), Numbers.percentile(all, 0.99), database.bytes());
        }

        @Override
        public void close() {
            path.close();
            database.close();
        }
    }

    private record Stretch(int commits, double medianMs, double p99Ms, long databaseBytes) {}

    /** Holds the same stretch without and with a snapshot. */
    private record Pair(int number, Stretch free, Stretch held) {
        void fill(Table table, String design, double seconds, int batch) {
            table.row(
                    design,
                    Numbers.with(0, number * seconds),
                    Numbers.rate(free.commits * batch / seconds),
                    Numbers.rate(held.commits * batch / seconds),
                    Numbers.with(2, free.medianMs),
                    Numbers.with(2, held.medianMs),
                    Numbers.with(2, held.medianMs / free.medianMs),
                    Numbers.with(1, free.p99Ms),
                    Numbers.with(1, held.p99Ms),
                    Numbers.with(1, free.databaseBytes / 1e6),
                    Numbers.with(1, held.databaseBytes / 1e6),
                    Numbers.with(2, (double) held.databaseBytes / free.databaseBytes));
        }
    }
}
