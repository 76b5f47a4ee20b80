package io.ringtable.benchmarks.store;

import io.ringtable.benchmarks.Options;
import io.ringtable.benchmarks.engine.Databases;
import io.ringtable.benchmarks.engine.PostgresServer;
import io.ringtable.benchmarks.report.Manifest;
import io.ringtable.benchmarks.report.Numbers;
import io.ringtable.benchmarks.report.RawData;
import io.ringtable.benchmarks.report.Table;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures what an open snapshot does to a steady stream on PostgreSQL: time of a commit and size of the database,
 * stretch by stretch.
 * <p>
 * Two databases of one server get the same stream, commit by commit in turn, and a snapshot is held in one of them.
 * PostgreSQL decides database by database which rows a snapshot keeps alive. Both databases see the same neighbours, so
 * their ratio is the answer.
 * <p>
 * {@code snapshot [designs=ring,naive] [rate=2000] [batch=10] [stretches=5] [seconds=60]}. Thread: main.
 */
public final class SnapshotHeld {
    private final int batch;
    private final long interval;

    private SnapshotHeld(int rate, int batch) {
        this.batch = batch;
        this.interval = TimeUnit.SECONDS.toNanos(1) * batch / rate;
    }

    /** Measures one of the two streams. */
    private static final class Stream {
        private final PostgresServer.Database database;
        private final Workload workload;
        private final List<Double> millis = new ArrayList<>(); // of the commits of this stretch

        Stream(PostgresServer.Database database, Workload workload) {
            this.database = database;
            this.workload = workload;
        }

        void commit() {
            long before = System.nanoTime();
            workload.commit();
            millis.add((System.nanoTime() - before) / 1e6);
        }

        Stretch stretch() throws SQLException {
            double[] all = millis.stream().mapToDouble(Double::doubleValue).toArray();
            millis.clear();
            return new Stretch(
                    all.length, Numbers.percentile(all, 0.5), Numbers.percentile(all, 0.99), database.bytes());
        }
    }

    private record Stretch(int commits, double medianMs, double p99Ms, long databaseBytes) {}

    public static void main(String[] args) throws SQLException {
        Options options = new Options(args, "designs", "rate", "batch", "stretches", "seconds");
        String manifest = Manifest.describe();
        System.out.println(manifest);
        Table table = new Table(
                "design", "after s", "msg/s", "commit ms", "held", "x", "p99 ms", "held", "database MB", "held", "x");
        try (Databases databases = new Databases()) {
            String description = Workloads.describe(databases, Databases.POSTGRESQL);
            System.out.println(description);
            try (RawData raw = new RawData(
                    "postgresql-snapshot",
                    manifest + "\n" + description,
                    "design,held,stretch,commits,commit_median_ms,commit_p99_ms,database_bytes")) {
                for (String design : options.list("designs", "ring,naive")) {
                    run(databases, design, options, table, raw);
                }
            }
        }
        System.out.println(table);
    }

    private static void run(Databases databases, String design, Options options, Table table, RawData raw)
            throws SQLException {
        int batch = options.number("batch", 10);
        double seconds = options.decimal("seconds", 60);
        SnapshotHeld run = new SnapshotHeld(options.number("rate", 2_000), batch);
        PostgresServer.Database free = (PostgresServer.Database) databases.create(Databases.POSTGRESQL);
        PostgresServer.Database held = (PostgresServer.Database) databases.create(Databases.POSTGRESQL);
        try (Workload freely = Workloads.open(free, design, Shape.of(batch));
                Workload beside = Workloads.open(held, design, Shape.of(batch))) {
            Stream control = new Stream(free, freely);
            Stream troubled = new Stream(held, beside);
            run.stretch(control, troubled, Math.min(10, seconds)); // warm
            control.stretch();
            troubled.stretch();
            try (Connection snapshot = held.holdSnapshot()) {
                for (int i = 1; i <= options.number("stretches", 5); i++) {
                    run.stretch(control, troubled, seconds);
                    report(design, i, seconds, batch, control.stretch(), troubled.stretch(), table, raw);
                }
                snapshot.rollback();
            }
        }
    }

    /** Commits to both at the intended rate, and catches up after a delay. */
    private void stretch(Stream control, Stream troubled, double seconds) {
        long end = System.nanoTime() + (long) (seconds * 1e9);
        for (long intended = System.nanoTime(); System.nanoTime() < end; intended += interval) {
            for (long left; (left = intended - System.nanoTime()) > 0; ) {
                LockSupport.parkNanos(left);
            }
            control.commit();
            troubled.commit();
        }
    }

    private static void report(
            String design, int i, double seconds, int batch, Stretch free, Stretch held, Table table, RawData raw) {
        write(raw, design, "no", i, free);
        write(raw, design, "yes", i, held);
        table.row(
                design,
                Numbers.with(0, i * seconds),
                Numbers.rate(held.commits() * batch / seconds),
                Numbers.with(2, free.medianMs()),
                Numbers.with(2, held.medianMs()),
                Numbers.with(2, held.medianMs() / free.medianMs()),
                Numbers.with(1, free.p99Ms()),
                Numbers.with(1, held.p99Ms()),
                Numbers.with(1, free.databaseBytes() / 1e6),
                Numbers.with(1, held.databaseBytes() / 1e6),
                Numbers.with(2, (double) held.databaseBytes() / free.databaseBytes()));
    }

    private static void write(RawData raw, String design, String held, int i, Stretch s) {
        raw.row(design, held, i, s.commits(), s.medianMs(), s.p99Ms(), s.databaseBytes());
    }
}
