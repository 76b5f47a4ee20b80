package io.ringtable.benchmarks.store;

import io.ringtable.benchmarks.engine.Databases;
import io.ringtable.benchmarks.engine.FsyncProbe;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures commits: each invocation publishes {@code batch} messages and settles as many. {@code design=ring} is the
 * store's flush. {@code naive} is the B-tree queue: with a batch of 1 that of the article, with more that of a careful
 * user.
 * <p>
 * The primary figure is commits per second; {@code messages} is messages per second. {@link StoreProfiler} adds log
 * bytes per message and the raw sync of the disk.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Threads(1)
@Fork(1)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class FlushBenchmark {
    @Param({Databases.SQLITE, Databases.POSTGRESQL})
    String engine;

    @Param({Workloads.RING, Workloads.NAIVE})
    String design;

    @Param({"1", "10", "100", "500", "2000"})
    int batch;

    @Param("1")
    int subscribers;

    @Param("1")
    int addresses;

    @Param("0")
    int backlogRows;

    private Databases databases;
    private Workload workload;
    private FsyncProbe probe;
    private long published; // in this iteration
    private long logBytesBefore;

    /** Counts what the primary figure does not say. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.OPERATIONS)
    public static class Published {
        /** Messages published and settled. */
        public long messages;
    }

    @Setup(Level.Trial)
    public void open() {
        databases = new Databases();
        System.out.println("# " + Workloads.describe(databases, engine));
        workload = Workloads.open(databases, design, engine, new Shape(batch, subscribers, addresses, backlogRows));
        probe = new FsyncProbe(databases.directory());
    }

    @Setup(Level.Iteration)
    public void beginIteration() {
        published = 0;
        logBytesBefore = workload.logBytes();
    }

    @TearDown(Level.Iteration)
    public void endIteration() {
        StoreProfiler.iterated((double) (workload.logBytes() - logBytesBefore) / published, probe.medianMicros());
    }

    @TearDown(Level.Trial)
    public void close() {
        probe.close();
        workload.close();
        databases.close();
    }

    @Benchmark
    public int commit(Published counter) {
        int messages = workload.commit();
        counter.messages += messages;
        published += messages;
        return messages;
    }
}
