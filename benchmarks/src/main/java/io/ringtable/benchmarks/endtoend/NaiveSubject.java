package io.ringtable.benchmarks.endtoend;

import io.ringtable.benchmarks.endtoend.driver.Driver;
import io.ringtable.benchmarks.endtoend.naive.NaiveQueue;
import io.ringtable.benchmarks.engine.BenchmarkDatabase;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;

/** Serves the clients from a naive queue: they work on the database themselves, and there is no broker. */
final class NaiveSubject implements Subject {
    private final NaiveQueue queue;
    private final ProcessMeter database;
    private final int batchMax;
    private final Duration poll;

    NaiveSubject(BenchmarkDatabase database, int batchMax, Duration poll) {
        this.queue = NaiveQueue.create(database);
        this.database = ProcessMeter.of(database);
        this.batchMax = batchMax;
        this.poll = poll;
    }

    @Override
    public Driver driver(Scenario scenario, Consumer<Throwable> failed) {
        return queue.driver(Math.min(batchMax, scenario.underWayMax()), poll, failed);
    }

    @Override
    public String durability() {
        return queue.durability() + "; one commit for "
                + (batchMax == 1 ? "each message" : "up to " + batchMax + " messages")
                + ", consumers that find nothing look again after " + poll.toMillis() + " ms";
    }

    @Override
    public ProcessMeter broker() {
        return ProcessMeter.NONE;
    }

    @Override
    public ProcessMeter database() {
        return database;
    }

    @Override
    public Map<String, Double> metrics() {
        return Map.of();
    }

    @Override
    public long retries() {
        return queue.retries();
    }

    @Override
    public void close() {
        queue.close();
    }
}
