package io.ringtable.benchmarks.endtoend;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Names the broker under load. */
enum Broker {
    /** Ringtable, from its executable jar ({@code bench.broker}). */
    RINGTABLE,
    /** An earlier Ringtable, from another executable jar ({@code bench.baseline}). */
    BASELINE,
    /** One more Ringtable beside the baseline, such as the build just before a change ({@code bench.predecessor}). */
    PREDECESSOR,
    /** Apache ActiveMQ Artemis, durable too: a broker with its own journal on the same machine. */
    ARTEMIS;

    static Broker named(String name) {
        for (Broker broker : values()) {
            if (broker.label().equals(name)) {
                return broker;
            }
        }
        throw new IllegalArgumentException("brokers=" + name + " is none of "
                + Stream.of(values()).map(Broker::label).collect(Collectors.joining(" ")));
    }

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns whether the broker has Ringtable's metrics, stores and client. */
    boolean isOurs() {
        return this != ARTEMIS;
    }

    /** Returns the arguments of the broker's JVM, after the JVM's own options. */
    List<String> program(Path dataDir, int port, int httpPort) {
        return switch (this) {
            case RINGTABLE ->
                jar(System.getProperty("bench.broker", "broker/target/ringtable-broker.jar"), dataDir, port, httpPort);
            case BASELINE, PREDECESSOR -> jar(otherBuild(), dataDir, port, httpPort);
            case ARTEMIS ->
                List.of(
                        "-cp",
                        System.getProperty("java.class.path"),
                        ArtemisServer.class.getName(),
                        dataDir.toString(),
                        String.valueOf(port));
        };
    }

    private static List<String> jar(String jar, Path dataDir, int port, int httpPort) {
        return List.of(
                "-jar",
                jar,
                "--ringtable.data-dir=" + dataDir,
                "--ringtable.amqp.port=" + port,
                "--server.port=" + httpPort);
    }

    private String otherBuild() {
        String property = "bench." + label();
        String jar = System.getProperty(property);
        if (jar == null) {
            throw new IllegalArgumentException(
                    "brokers=" + label() + " needs -D" + property + "=JAR, the executable jar of another build");
        }
        return jar;
    }
}
