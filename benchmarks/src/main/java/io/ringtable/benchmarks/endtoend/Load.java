package io.ringtable.benchmarks.endtoend;

import io.ringtable.benchmarks.report.CpuTime;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs the publishers and the consumers of one scenario on one broker, until it is closed.
 * <p>
 * A message carries its intended send time, so that a delayed publisher does not hide the delay. Thread: each publisher
 * has a thread of its own, a consumer that of its library.
 */
final class Load implements AutoCloseable {
    private static final int BODY_BYTES = 300;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final Scenario scenario;
    private final LongAdder accepted = new LongAdder();
    private final LongAdder received = new LongAdder();
    private final Latencies latencies = new Latencies();
    private final List<Driver.Receiver> receivers = new ArrayList<>();
    private final List<Driver.Sender> senders = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean stopped; // written by main, read by the publishers
    private volatile Throwable failure; // written by a publisher, read by main

    private Load(Scenario scenario) {
        this.scenario = scenario;
    }

    static Load begin(Scenario scenario, int port) {
        Load load = new Load(scenario);
        Driver driver = scenario.driver(port);
        for (int i = 0; i < scenario.consumers(); i++) {
            String durable = scenario.topic() ? "subscriber-" + i : null;
            load.receivers.add(driver.receiver(scenario.destination(), durable, load::received));
        }
        for (int i = 0; i < scenario.producers(); i++) {
            Driver.Sender sender = driver.sender(scenario.destination());
            load.senders.add(sender);
            Thread thread = new Thread(() -> load.publish(sender), "publisher-" + i);
            load.threads.add(thread);
            thread.start();
        }
        return load;
    }

    private void received(byte[] body) {
        received.increment();
        latencies.add(System.nanoTime() - ByteBuffer.wrap(body).getLong());
    }

    private void publish(Driver.Sender sender) {
        try {
            long interval = scenario.rate() == 0 ? 0 : SECOND * scenario.producers() / scenario.rate();
            long intended = System.nanoTime();
            while (!stopped) {
                long now = System.nanoTime();
                if (interval == 0) {
                    intended = now;
                }
                for (long left; (left = intended - System.nanoTime()) > 0; ) {
                    LockSupport.parkNanos(left);
                }
                publish(sender, intended);
                intended += interval;
            }
        } catch (RuntimeException | Error e) {
            if (!stopped) {
                failure = e;
            }
        }
    }

    private void publish(Driver.Sender sender, long intended) {
        byte[] body = ByteBuffer.allocate(BODY_BYTES).putLong(intended).array();
        if (scenario.waits()) {
            sender.sendAndWait(body);
            accepted.increment();
            latencies.add(System.nanoTime() - intended);
        } else {
            sender.send(body, accepted::increment);
        }
    }

    /** Watches the load for the given time. */
    Figures watch(BrokerProcess broker, double seconds) {
        Map<String, Double> metricsBefore = broker.metrics();
        latencies.clear();
        long acceptedBefore = accepted.sum();
        long receivedBefore = received.sum();
        double cpuBefore = broker.cpuSeconds();
        double clientCpuBefore = CpuTime.ownSeconds();
        double machineCpuBefore = CpuTime.machineSeconds();
        long begun = System.nanoTime();
        long end = begun + (long) (seconds * SECOND);
        for (long left; (left = end - System.nanoTime()) > 0 && failure == null; ) {
            LockSupport.parkNanos(Math.min(left, SECOND / 10));
        }
        if (failure != null) {
            throw new IllegalStateException("a publisher failed", failure);
        }
        double elapsed = (System.nanoTime() - begun) / 1e9;
        double cpu = broker.cpuSeconds() - cpuBefore;
        double clientCpu = CpuTime.ownSeconds() - clientCpuBefore;
        double otherCpu = CpuTime.machineSeconds() - machineCpuBefore - cpu - clientCpu;
        long acceptedNow = accepted.sum() - acceptedBefore;
        long receivedNow = received.sum() - receivedBefore;
        Map<String, Double> metricsAfter = broker.metrics();
        double flushes = risen(metricsBefore, metricsAfter, "ringtable_flush_messages_count");
        return new Figures(
                acceptedNow / elapsed,
                receivedNow / elapsed,
                latencies.millis(0.5),
                latencies.millis(0.99),
                cpu * 1e6 / acceptedNow,
                cpu / elapsed,
                risen(metricsBefore, metricsAfter, "jvm_gc_memory_allocated_bytes_total") / acceptedNow,
                clientCpu * 1e6 / acceptedNow,
                otherCpu / elapsed,
                flushes / elapsed,
                risen(metricsBefore, metricsAfter, "ringtable_flush_messages_sum") / flushes,
                risen(metricsBefore, metricsAfter, "ringtable_flush_seconds_sum")
                        / risen(metricsBefore, metricsAfter, "ringtable_flush_seconds_count")
                        * 1e3);
    }

    private static double risen(Map<String, Double> before, Map<String, Double> after, String metric) {
        return after.getOrDefault(metric, Double.NaN) - before.getOrDefault(metric, 0.0);
    }

    @Override
    public void close() {
        stopped = true;
        senders.forEach(Driver.Sender::close);
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                LockSupport.parkNanos(SECOND / 1_000);
            }
        }
        receivers.forEach(Driver.Receiver::close);
    }

    /**
     * Holds what a watch saw.
     *
     * @param cpuMicros broker's processor time per accepted message
     * @param cpuShare processors that the broker kept busy
     * @param allocatedBytes bytes that the broker allocated per accepted message, as its collections counted them: the
     *     fewer collections a watch saw, the coarser; NaN if the broker does not say
     * @param clientCpuMicros processor time of this process per accepted message; the process holds only the clients
     * @param otherCpus processors that other processes kept busy: 0 on a machine that does nothing else
     * @param flushMessages messages per flush; NaN if the broker does not say
     */
    record Figures(
            double acceptedPerSecond,
            double receivedPerSecond,
            double latencyMedianMs,
            double latencyP99Ms,
            double cpuMicros,
            double cpuShare,
            double allocatedBytes,
            double clientCpuMicros,
            double otherCpus,
            double flushesPerSecond,
            double flushMessages,
            double flushMs) {

        /**
         * Returns the messages per second that these clients could reach if the broker cost nothing and the clients
         * kept every processor busy: processors / processor time of the clients per message. No broker on the same
         * machine can be faster while the clients work in this way. Waiting keeps the clients below this rate: for a
         * single thread, or for a sync of the disk.
         */
        double clientsAlonePerSecond() {
            return Runtime.getRuntime().availableProcessors() * 1e6 / clientCpuMicros;
        }
    }
}
