package io.ringtable.benchmarks.store;

import io.ringtable.benchmarks.Options;
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
 * What a snapshot that somebody holds open does to a steady stream on PostgreSQL: time of a flush and size of the database,
 * stretch by stretch, first without it, then with it.
 * <p>
 * {@code snapshot [designs=ring,naive] [rate=2000] [batch=10] [stretches=6] [seconds=60]}: the first stretch is without the
 * snapshot. Thread: main.
 */
public final class SnapshotHeld {
    private final Workload workload;
    private final PostgresServer.Database database;
    private final int rate;
    private final int batch;
    private final double seconds;

    private SnapshotHeld(Workload workload, PostgresServer.Database database, int rate, int batch, double seconds) {
        this.workload = workload;
        this.database = database;
        this.rate = rate;
        this.batch = batch;
        this.seconds = seconds;
    }

    /** @param late commits that began more than a second after their time: then the rate was not held */
    private record Stretch(double achieved, double medianMs, double p99Ms, long late, long databaseBytes) {}

    public static void main(String[] args) throws SQLException {
        Options options = new Options(args, "designs", "rate", "batch", "stretches", "seconds");
        String manifest = Manifest.describe();
        System.out.println(manifest);
        Table table = new Table("design", "snapshot", "after s", "msg/s", "commit ms", "p99 ms", "late", "database MB");
        try (Databases databases = new Databases()) {
            String description = Workloads.describe(databases, Databases.POSTGRESQL);
            System.out.println(description);
            try (RawData raw = new RawData(
                    "postgresql-snapshot",
                    manifest + "\n" + description,
                    "design,held,stretch,messages_per_s,commit_median_ms,commit_p99_ms,late_commits,database_bytes")) {
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
        PostgresServer.Database database = (PostgresServer.Database) databases.create(Databases.POSTGRESQL);
        try (Workload workload = Workloads.open(database, design, Shape.of(batch))) {
            SnapshotHeld run = new SnapshotHeld(workload, database, options.number("rate", 2_000), batch, seconds);
            run.stretch(Math.min(10, seconds)); // warm
            Connection snapshot = null;
            for (int i = 0; i < options.number("stretches", 6); i++) {
                if (i == 1) {
                    snapshot = database.holdSnapshot();
                }
                Stretch stretch = run.stretch(seconds);
                boolean held = snapshot != null;
                raw.row(
                        design,
                        held,
                        i,
                        stretch.achieved(),
                        stretch.medianMs(),
                        stretch.p99Ms(),
                        stretch.late(),
                        stretch.databaseBytes());
                table.row(
                        design,
                        held ? "held" : "none",
                        Numbers.with(0, (held ? i : i + 1) * seconds),
                        Numbers.rate(stretch.achieved()),
                        Numbers.with(2, stretch.medianMs()),
                        Numbers.with(2, stretch.p99Ms()),
                        String.valueOf(stretch.late()),
                        Numbers.with(1, stretch.databaseBytes() / 1e6));
            }
            if (snapshot != null) {
                snapshot.close();
            }
        }
    }

    /** At the intended rate: what comes late is caught up with, and counted from when it began. */
    private Stretch stretch(double length) throws SQLException {
        List<Double> millis = new ArrayList<>();
        long interval = TimeUnit.SECONDS.toNanos(1) * batch / rate;
        long begun = System.nanoTime();
        long end = begun + (long) (length * 1e9);
        long intended = begun;
        long late = 0;
        long messages = 0;
        while (System.nanoTime() < end) {
            for (long left; (left = intended - System.nanoTime()) > 0; ) {
                LockSupport.parkNanos(left);
            }
            long before = System.nanoTime();
            if (before - intended > TimeUnit.SECONDS.toNanos(1)) {
                late++;
            }
            messages += workload.commit();
            millis.add((System.nanoTime() - before) / 1e6);
            intended += interval;
        }
        double[] all = millis.stream().mapToDouble(Double::doubleValue).toArray();
        return new Stretch(
                messages * 1e9 / (System.nanoTime() - begun),
                Numbers.percentile(all, 0.5),
                Numbers.percentile(all, 0.99),
                late,
                database.bytes());
    }
}
