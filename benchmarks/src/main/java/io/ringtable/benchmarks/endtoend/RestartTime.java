package io.ringtable.benchmarks.endtoend;

import io.ringtable.benchmarks.endtoend.driver.ClientSetup;
import io.ringtable.benchmarks.endtoend.driver.Destination;
import io.ringtable.benchmarks.endtoend.driver.Driver;
import io.ringtable.benchmarks.endtoend.driver.SdkDriver;
import io.ringtable.benchmarks.engine.FsyncProbe;
import io.ringtable.benchmarks.option.Options;
import io.ringtable.benchmarks.report.Manifest;
import io.ringtable.benchmarks.report.Numbers;
import io.ringtable.benchmarks.report.RawData;
import io.ringtable.benchmarks.report.Table;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.qpid.jms.JmsConnectionFactory;

/**
 * Measures from the start of the broker's process to the first message that a waiting JMS client gets. The store is
 * full of owed messages, or empty, and then the client sends one itself. The broker is cold each time, the client warm.
 * <p>
 * {@code restart [messages=1000000] [rounds=5] [jvm=-Xmx512m] [stop=graceful|kill]}. Thread: main.
 */
public final class RestartTime {
    private static final String QUEUE = "owed";
    private static final int BODY_BYTES = 300;
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long RECEIVE_MS_MAX = 60_000;

    private final List<String> jvm;
    private final boolean kill;

    private RestartTime(List<String> jvm, boolean kill) {
        this.jvm = jvm;
        this.kill = kill;
    }

    public static void main(String[] args) throws Exception {
        Options options = new Options(args, "messages", "rounds", "jvm", "stop");
        String manifest = Manifest.describe();
        System.out.println(manifest);
        Path directory = Files.createTempDirectory(
                Path.of(System.getProperty("bench.dir", System.getProperty("java.io.tmpdir"))), "ringtable-restart-");
        RestartTime restart = new RestartTime(
                List.of(options.text("jvm", "-Xmx512m").split(" ")),
                options.text("stop", "graceful").equals("kill"));
        int rounds = options.number("rounds", 5);
        double[] empty = new double[rounds];
        double[] full = new double[rounds];
        double[] later = new double[rounds];
        try (FsyncProbe probe = new FsyncProbe(directory);
                RawData raw = new RawData(
                        "restart", manifest, "round,raw_sync_us,empty_first_delivery_ms,full_first_delivery_ms")) {
            Path owed = directory.resolve("full/data");
            restart.fill(owed, options.number("messages", 1_000_000));
            restart.firstDelivery(directory.resolve("warm/data"), true); // the client's code
            for (int round = 0; round < rounds; round++) {
                empty[round] = restart.firstDelivery(directory.resolve("empty-" + round + "/data"), true);
                full[round] = restart.firstDelivery(owed, false);
                later[round] = full[round] - empty[round];
                raw.row(round, probe.medianMicros(), empty[round], full[round]);
            }
        }
        Table table = new Table("store", "first delivery after ms", "fastest", "slowest");
        row(table, "empty", empty);
        row(table, Numbers.with(0, options.number("messages", 1_000_000)) + " owed", full);
        row(table, "later by", later);
        System.out.println(table);
        EndToEnd.delete(directory);
    }

    private static void row(Table table, String name, double[] millis) {
        table.row(
                name,
                Numbers.with(0, Numbers.median(millis)),
                Numbers.with(0, Numbers.percentile(millis, 0)),
                Numbers.with(0, Numbers.percentile(millis, 1)));
    }

    private void fill(Path data, int messages) {
        BrokerProcess broker =
                BrokerProcess.start(Broker.RINGTABLE, data, jvm, List.of()).awaitListening();
        try (Driver.Sender sender = new SdkDriver(broker.port(), ClientSetup.PLAIN).sender(Destination.queue(QUEUE))) {
            Semaphore outcomes = new Semaphore(0);
            long begun = System.nanoTime();
            for (int i = 0; i < messages; i++) {
                sender.send(new byte[BODY_BYTES], outcomes::release);
            }
            outcomes.acquireUninterruptibly(messages);
            System.out.println("stored " + messages + " messages at "
                    + Numbers.rate(messages * 1e9 / (System.nanoTime() - begun)) + " msg/s");
        } finally {
            stop(broker);
        }
    }

    private void stop(BrokerProcess broker) {
        if (kill) {
            broker.kill();
        } else {
            broker.close();
        }
    }

    /** Returns the milliseconds from the start of the process to the first delivery. */
    private double firstDelivery(Path data, boolean sends) throws JMSException {
        BrokerProcess broker =
                BrokerProcess.start(Broker.RINGTABLE, data, jvm, List.of()).awaitListening();
        try (Connection connection = connect(broker.port())) {
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = session.createQueue(QUEUE);
            MessageConsumer consumer = session.createConsumer(queue);
            connection.start();
            if (sends) {
                session.createProducer(queue).send(session.createTextMessage("first"));
            }
            if (consumer.receive(RECEIVE_MS_MAX) == null) {
                throw new IllegalStateException("no message within " + RECEIVE_MS_MAX + " ms");
            }
            return (System.nanoTime() - broker.startedAt()) / 1e6;
        } finally {
            stop(broker);
        }
    }

    private static Connection connect(int port) {
        JmsConnectionFactory factory = new JmsConnectionFactory("amqp://127.0.0.1:" + port);
        for (int attempt = 0; ; attempt++) {
            try {
                return factory.createConnection();
            } catch (JMSException e) {
                if (attempt > 1_000) {
                    throw new IllegalStateException(e);
                }
                LockSupport.parkNanos(POLL_NANOS);
            }
        }
    }
}
