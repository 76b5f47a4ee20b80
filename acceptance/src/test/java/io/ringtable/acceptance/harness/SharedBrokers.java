package io.ringtable.acceptance.harness;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Keeps brokers that run from one class of tests to the next with the same engine and settings. A class has its broker
 * to itself meanwhile, and may kill and start it.
 * <p>
 * Thread: any. Failure: the broker of a class with a failed test is not handed on, and its files stay.
 */
final class SharedBrokers implements AutoCloseable {
    private final Path parent;
    private final Bench bench; // its databases outlive the classes that use them
    private final Map<String, Deque<BrokerProcess>> idle = new HashMap<>();
    private int made;

    SharedBrokers(Path parent, Bench bench) {
        this.parent = parent;
        this.bench = bench;
    }

    /** Returns the bench of what the brokers need, which ends after them. */
    Bench bench() {
        return bench;
    }

    /** Returns the directory of the next broker that is made. */
    synchronized Path nextDirectory() throws IOException {
        made++;
        Path directory = parent.resolve("shared-broker-" + made);
        Bench.delete(directory); // an earlier build's
        return directory;
    }

    /** Takes one that runs with those settings, or starts another. */
    BrokerProcess take(String settings, Supplier<BrokerProcess> starting) {
        BrokerProcess running;
        synchronized (this) {
            running = idle.computeIfAbsent(settings, none -> new ArrayDeque<>()).poll();
        }
        return running != null ? running : starting.get();
    }

    synchronized void handOn(String settings, BrokerProcess broker) {
        idle.get(settings).push(broker);
    }

    @Override
    public synchronized void close() throws IOException {
        List<BrokerProcess> all = new ArrayList<>();
        idle.values().forEach(all::addAll);
        idle.clear();
        for (BrokerProcess broker : all) {
            broker.close();
            Bench.delete(broker.settings().directory());
        }
        bench.close();
    }
}
