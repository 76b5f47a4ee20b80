package io.ringtable.benchmarks.endtoend;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** Which broker the clients talk to. */
enum Broker {
    /** Ours, from its executable jar ({@code bench.broker}). */
    RINGTABLE,
    /** Apache ActiveMQ Artemis, durable too: what a broker with a journal of its own does on the same machine. */
    ARTEMIS;

    static Broker named(String name) {
        for (Broker broker : values()) {
            if (broker.label().equals(name)) {
                return broker;
            }
        }
        throw new IllegalArgumentException("brokers=" + name + " is none of ringtable artemis");
    }

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** True if it can be asked for the metrics of Ringtable. */
    boolean hasMetrics() {
        return this == RINGTABLE;
    }

    /** What its JVM is to run, after the JVM's own options. */
    List<String> program(Path dataDir, int port, int httpPort) {
        return switch (this) {
            case RINGTABLE ->
                List.of(
                        "-jar",
                        System.getProperty("bench.broker", "broker/target/ringtable-broker.jar"),
                        "--ringtable.data-dir=" + dataDir,
                        "--ringtable.amqp.port=" + port,
                        "--server.port=" + httpPort);
            case ARTEMIS ->
                List.of(
                        "-cp",
                        System.getProperty("java.class.path"),
                        ArtemisServer.class.getName(),
                        dataDir.toString(),
                        String.valueOf(port));
        };
    }
}
