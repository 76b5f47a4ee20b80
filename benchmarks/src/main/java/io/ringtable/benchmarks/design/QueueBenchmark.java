package io.ringtable.benchmarks.design;

import io.ringtable.benchmarks.engine.BenchmarkDatabase;
import io.ringtable.benchmarks.engine.Databases;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.GroupThreads;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures a design of the articles with one thread that pushes beside one that pops; {@code -tg 4,2} lets four push
 * and two pop. Each thread has a session of its own.
 * <p>
 * The primary figure counts calls, of which some find no message or no free slot. {@code pushed} and {@code popped} are
 * messages per second. The trial fails if the tables do not account for each message.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class QueueBenchmark {
    private static final int BODY_BYTES = 300;
    private static final int RING_SIZE = 20_000;

    /** A call ends after this time, so that a pusher does not wait for ever for poppers whose iteration is over. */
    private static final Duration CALL_MAX = Duration.ofMillis(100);

    @Param({Databases.SQLITE, Databases.POSTGRESQL})
    String engine;

    @Param({"naive", "ring"})
    String design;

    @Param({"1", "100"})
    int batch;

    private final List<Session> sessions = new ArrayList<>();
    private Databases databases;
    private DesignDatabase tables;

    /** Counts messages, which the primary figure does not. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.OPERATIONS)
    public static class Moved {
        /** Messages that went in. */
        public long pushed;

        /** Messages that came out. */
        public long popped;
    }

    /** Holds a thread's session that pushes. */
    @State(Scope.Thread)
    public static class Pusher {
        private Session session;

        @Setup(Level.Trial)
        public void open(QueueBenchmark queue) {
            session = queue.add(queue.tables.pusher(null));
        }
    }

    /** Holds a thread's session that pops. */
    @State(Scope.Thread)
    public static class Popper {
        private Session session;

        @Setup(Level.Trial)
        public void open(QueueBenchmark queue) {
            session = queue.add(queue.tables.popper(0, null));
        }
    }

    @Setup(Level.Trial)
    public void open() {
        databases = new Databases();
        BenchmarkDatabase database = databases.create(engine);
        System.out.println("# " + database.description());
        tables = DesignDatabase.create(
                database, Designs.ofTheBuild().of(design), new QueueShape(batch, BODY_BYTES, 1, RING_SIZE), true);
    }

    private synchronized Session add(Session session) {
        sessions.add(session);
        return session;
    }

    /** Closes the sessions too: JMH tears down what threads hold while others still have theirs open. */
    @TearDown(Level.Trial)
    public void close() {
        sessions.forEach(Session::close);
        DesignDatabase.Accounts accounts = tables.accounts();
        tables.close();
        databases.close();
        if (accounts.pushed() != accounts.popped() + accounts.owed()) {
            throw new IllegalStateException("the tables do not account for each message: " + accounts);
        }
    }

    @Benchmark
    @Group("queue")
    @GroupThreads
    public void push(Pusher pusher, Moved counter) {
        counter.pushed += pusher.session.move(batch, CALL_MAX, batch).moved();
    }

    @Benchmark
    @Group("queue")
    @GroupThreads
    public void pop(Popper popper, Moved counter) {
        counter.popped += popper.session.move(batch, CALL_MAX, batch).moved();
    }
}
