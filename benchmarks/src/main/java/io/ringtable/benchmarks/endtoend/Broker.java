package io.ringtable.benchmarks.endtoend;

import io.ringtable.benchmarks.endtoend.driver.ClientSetup;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Names the broker under load, or what stands in place of one. */
enum Broker {
    /** Ringtable, from its executable jar ({@code bench.broker}). */
    RINGTABLE,
    /** The same with users, rules and roles: each client logs in, and each message is asked for by the rules. */
    SECURED,
    /** The same with publishers that sample one message in a hundred; the broker makes no spans. */
    SAMPLED,
    /** The same with traces: one message in a hundred is sampled, and its spans go to a receiver that drops them. */
    TRACED,
    /** The same with four shards, and the one queue in one of them. */
    PARTS_1,
    /** The same with a part of the queue in two of four shards. */
    PARTS_2,
    /** The same with a part of the queue in each of four shards. */
    PARTS_4,
    /** The same with one shard, said so. */
    SHARDS_1,
    /** The same with two shards, which share the queues. */
    SHARDS_2,
    /** The same with four shards. */
    SHARDS_4,
    /** The same with eight shards. */
    SHARDS_8,
    /** A cluster of two nodes, with the clients at the node that owns what they use. */
    OWNER,
    /** The same with the clients at the other node, which relays them. */
    RELAYED,
    /** An earlier Ringtable, from another executable jar ({@code bench.baseline}). */
    BASELINE,
    /** One more Ringtable beside the baseline, such as the build just before a change ({@code bench.predecessor}). */
    PREDECESSOR,
    /** Apache ActiveMQ Artemis, durable too: a broker with its own journal on the same machine. */
    ARTEMIS,
    /** No broker: a naive queue in a database, with a commit per message. */
    NAIVE,
    /** The same with a commit per batch. */
    NAIVE_BATCHED;

    private static final int SAMPLED_ONE_IN = 100;
    private static final int SHARDS = 4;

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
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns whether the broker has Ringtable's metrics, stores and client. */
    boolean isOurs() {
        return switch (this) {
            case ARTEMIS, NAIVE, NAIVE_BATCHED -> false;
            default -> true;
        };
    }

    /** Returns further arguments of the broker. */
    List<String> arguments() {
        int parts = switch (this) {
            case PARTS_1 -> 1;
            case PARTS_2 -> 2;
            case PARTS_4 -> SHARDS;
            default -> 0;
        };
        return parts == 0
                ? shards() == 0 ? List.of() : List.of("--ringtable.shards=" + shards())
                : List.of(
                        "--ringtable.shards=" + SHARDS,
                        "--ringtable.dispatch.addresses[0].match=" + Scenario.QUEUE,
                        "--ringtable.dispatch.addresses[0].parts=" + parts);
    }

    /** Returns how many shards share the queues; 0 where the number is not what is measured. */
    int shards() {
        return switch (this) {
            case SHARDS_1 -> 1;
            case SHARDS_2 -> 2;
            case SHARDS_4 -> 4;
            case SHARDS_8 -> 8;
            default -> 0;
        };
    }

    /** Returns as whom clients log in; null = they do not. */
    Login login() {
        return this == SECURED ? Login.RIG : null;
    }

    /** Returns what its clients do beside sending and receiving. */
    ClientSetup clients() {
        return switch (this) {
            case SECURED -> new ClientSetup(Login.RIG.user(), Login.RIG.password(), 0);
            case SAMPLED, TRACED -> new ClientSetup(null, null, SAMPLED_ONE_IN);
            default -> ClientSetup.PLAIN;
        };
    }

    /** Returns whether two nodes serve, each a shard of its own. */
    boolean isCluster() {
        return this == OWNER || this == RELAYED;
    }

    /** Returns whether the clients work on a database themselves. */
    boolean isNaive() {
        return this == NAIVE || this == NAIVE_BATCHED;
    }

    /** Returns whether the scenario says something about the broker: one that waits for each message has no batch. */
    boolean runs(Scenario scenario) {
        return scenario.sdk() ? isOurs() : this != NAIVE_BATCHED || !scenario.waits();
    }

    /** Returns the arguments of the broker's JVM, after the JVM's own options. */
    List<String> program(Path dataDir, int port, int httpPort) {
        return switch (this) {
            case BASELINE, PREDECESSOR -> jar(otherBuild(), dataDir, port, httpPort);
            case ARTEMIS ->
                List.of(
                        "-cp",
                        System.getProperty("java.class.path"),
                        ArtemisServer.class.getName(),
                        dataDir.toString(),
                        String.valueOf(port));
            case NAIVE, NAIVE_BATCHED -> throw new IllegalStateException(this + " has no program");
            default ->
                jar(System.getProperty("bench.broker", "broker/target/ringtable-broker.jar"), dataDir, port, httpPort);
        };
    }

    private static List<String> jar(String jar, Path dataDir, int port, int httpPort) {
        List<String> program = new ArrayList<>(executable(new File(jar)));
        program.add("--ringtable.data-dir=" + dataDir);
        program.add("--ringtable.amqp.port=" + port);
        program.add("--server.port=" + httpPort);
        return program;
    }

    /** Prefers the jar that the build has unpacked, with an archive of its classes, as {@code bin/ringtable} does. */
    private static List<String> executable(File jar) {
        Path unpacked = Path.of(jar.getPath().replaceFirst("[.]jar$", ""));
        Path archived = unpacked.resolve("java-" + Runtime.version().feature() + ".options");
        return Files.exists(archived)
                ? List.of(
                        "@" + archived, "-jar", unpacked.resolve(jar.getName()).toString())
                : List.of("-jar", jar.getPath());
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
