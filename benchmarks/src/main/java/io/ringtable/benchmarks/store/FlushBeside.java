package io.ringtable.benchmarks.store;

import io.ringtable.benchmarks.engine.Databases;
import io.ringtable.benchmarks.engine.PostgresServer;
import io.ringtable.benchmarks.option.Options;
import io.ringtable.benchmarks.report.Manifest;
import io.ringtable.benchmarks.report.Numbers;
import io.ringtable.benchmarks.report.Table;

/**
 * Compares the processor time that a flush takes on two PostgreSQL servers of this machine, one of which may have an
 * extension such as Citus. They take turns, and the other one begins in every second round.
 * <p>
 * {@code beside url=… other=… [prepared=FILE.sql] [batch=100] [rounds=12] [seconds=5] [warmup=3]}; the file is run in
 * the other server's database. Each round flushes for so many seconds on each. Thread: main.
 */
public final class FlushBeside {
    private static final String URL = "bench.postgresql.url";
    private static final String PREPARED = "bench.postgresql.prepared";

    private FlushBeside() {}

    /** Holds a ring on one of the servers. */
    private record Side(Databases databases, PostgresServer.Database database, RingWorkload workload)
            implements AutoCloseable {
        static Side open(String url, String prepared, Shape shape) {
            System.setProperty(URL, url);
            if (prepared == null) {
                System.clearProperty(PREPARED);
            } else {
                System.setProperty(PREPARED, prepared);
            }
            Databases databases = new Databases();
            PostgresServer.Database database = (PostgresServer.Database) databases.create(Databases.POSTGRESQL);
            return new Side(databases, database, new RingWorkload(database, shape));
        }

        /** Returns the microseconds of the server's processor time for one flush. */
        double microsPerFlush(double seconds) {
            double before = database.serverSeconds();
            long end = System.nanoTime() + (long) (seconds * 1e9);
            int flushes = 0;
            while (System.nanoTime() < end) {
                workload.commit();
                flushes++;
            }
            return (database.serverSeconds() - before) * 1e6 / flushes;
        }

        @Override
        public void close() {
            workload.close();
            databases.close();
        }
    }

    public static void main(String[] args) {
        Options options = new Options(args, "url", "other", "prepared", "batch", "rounds", "seconds", "warmup");
        int rounds = options.number("rounds", 12);
        double seconds = options.decimal("seconds", 5);
        double warmup = options.decimal("warmup", 3);
        Shape shape = Shape.of(options.number("batch", 100));
        System.out.println(Manifest.describe());
        try (Side one = Side.open(named(options, "url"), null, shape);
                Side other = Side.open(named(options, "other"), options.text("prepared", null), shape)) {
            one.microsPerFlush(warmup);
            other.microsPerFlush(warmup);
            double[] ones = new double[rounds];
            double[] others = new double[rounds];
            for (int round = 0; round < rounds; round++) {
                if (round % 2 == 0) {
                    ones[round] = one.microsPerFlush(seconds);
                    others[round] = other.microsPerFlush(seconds);
                } else {
                    others[round] = other.microsPerFlush(seconds);
                    ones[round] = one.microsPerFlush(seconds);
                }
            }
            System.out.println(table(ones, others));
        }
    }

    private static String named(Options options, String name) {
        String url = options.text(name, "");
        if (!url.startsWith("jdbc:postgresql:")) {
            throw new IllegalArgumentException(
                    name + "='" + url + "' is no URL of a PostgreSQL server of this machine");
        }
        return url;
    }

    /** Puts the figures side by side; a ratio below 1 says that the other server needs more than the first. */
    private static Table table(double[] ones, double[] others) {
        double[] ratios = Numbers.ratios(ones, others);
        Table table = new Table("server time of a flush", "median", "least", "most");
        row(table, "first, us", 0, ones);
        row(table, "other, us", 0, others);
        row(table, "first / other", 3, ratios);
        return table;
    }

    private static void row(Table table, String name, int digits, double[] values) {
        table.row(
                name,
                Numbers.with(digits, Numbers.median(values)),
                Numbers.with(digits, Numbers.percentile(values, 0)),
                Numbers.with(digits, Numbers.percentile(values, 1)));
    }
}
