package io.ringtable.benchmarks.endtoend;

import io.ringtable.benchmarks.endtoend.driver.Driver;
import io.ringtable.benchmarks.endtoend.figure.Counts;
import io.ringtable.benchmarks.endtoend.figure.Figures;
import io.ringtable.benchmarks.endtoend.figure.Reading;
import io.ringtable.benchmarks.report.CpuTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs the publishers and the consumers of one scenario, until it is closed.
 * <p>
 * Thread: main; each publisher has a thread of its own, a consumer that of its library.
 */
final class Load implements AutoCloseable {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final Scenario scenario;
    private final Subject subject;
    private final Counts counts = new Counts();
    private final Driver driver;
    private final List<Driver.Receiver> receivers = new ArrayList<>();
    private Publishers publishers; // null while nobody publishes

    Load(Scenario scenario, Subject subject) {
        this.scenario = scenario;
        this.subject = subject;
        this.driver = subject.driver(scenario, counts::fail);
    }

    /** Begins with all clients of the scenario. */
    static Load begin(Scenario scenario, Subject subject) {
        Load load = new Load(scenario, subject);
        load.consume();
        load.publish(Long.MAX_VALUE);
        return load;
    }

    void consume() {
        for (int i = 0; i < scenario.consumers(); i++) {
            String durable = scenario.topic() ? "subscriber-" + i : null;
            receivers.add(driver.receiver(scenario.destination(i), durable, counts::received));
        }
        for (int i = 0; i < scenario.stalled(); i++) {
            receivers.add(driver.stalled(scenario.destination(i), "stalled-" + i));
        }
    }

    void publish(long messages) {
        publishers = Publishers.start(scenario, driver, counts, messages);
    }

    /** Lets the publishers stop and the consumers take what is left. Only for a queue. */
    void finish() {
        publishers.finish();
        publishers = null;
        counts.awaitReceived(counts.acceptedSoFar());
        stopConsumers();
    }

    /** Waits until the publishers have published all that they should. */
    void awaitAccepted(long messages) {
        counts.awaitAccepted(messages);
        publishers.finish();
        publishers = null;
    }

    void awaitReceived(long messages) {
        counts.awaitReceived(messages);
    }

    private void stopConsumers() {
        receivers.forEach(Driver.Receiver::close);
        receivers.clear();
    }

    /** Watches the load for the given time. */
    Figures watch(double seconds) {
        Reading before = read();
        rest(seconds);
        return Figures.between(before, readAfter(before));
    }

    /** Reads as soon as another message has been accepted: a stretch without any would have no figure per message. */
    Reading readAfter(Reading before) {
        counts.awaitAccepted(before.accepted() + 1);
        return read();
    }

    /** Waits while the load goes on. */
    void rest(double seconds) {
        long until = System.nanoTime() + (long) (seconds * SECOND);
        for (long left; (left = until - System.nanoTime()) > 0; ) {
            LockSupport.parkNanos(Math.min(left, SECOND / 10));
            counts.requireClients();
        }
    }

    Reading read() {
        Map<String, Double> metrics = subject.metrics();
        double clientMegabytes = ProcessMeter.ownMegabytes();
        double brokerMegabytes = subject.broker().megabytes();
        double databaseMegabytes = subject.database().megabytes();
        double brokerCpu = subject.broker().cpuSeconds();
        double databaseCpu = subject.database().cpuSeconds();
        Map<String, Double> brokerThreads = subject.broker().threadSeconds();
        double clientCpu = CpuTime.ownSeconds();
        double machineCpu = CpuTime.machineSeconds();
        long accepted = counts.acceptedSoFar();
        long received = counts.receivedSoFar();
        long wanted = scenario.topic() ? accepted * scenario.consumers() : accepted;
        return new Reading(
                System.nanoTime(),
                accepted,
                received,
                scenario.consumers() == 0 ? Double.NaN : wanted - received,
                counts.latencies(),
                subject.retries(),
                clientCpu,
                brokerCpu,
                databaseCpu,
                machineCpu,
                brokerThreads,
                clientMegabytes,
                brokerMegabytes,
                databaseMegabytes,
                metrics);
    }

    @Override
    public void close() {
        if (publishers != null) {
            publishers.close();
        }
        stopConsumers();
    }
}
