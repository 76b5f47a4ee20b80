package io.ringtable.benchmarks.endtoend;

import io.ringtable.benchmarks.endtoend.figure.Figure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** Runs the load rig as its command does, once and briefly, and reads the raw data that it leaves. */
final class Rig {
    /** The unpacked broker that the build lays beside the executable jar, with an archive of its classes. */
    private static final Path BROKER = Path.of("../broker/target/ringtable-broker"); // options hold no spaces

    static final List<String> COLD = List.of(
            "-Xmx256m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Dringtable.ring.capacity=16384", // a quarter of the default: a new broker writes all slots
            "@" + BROKER.resolve("java-" + Runtime.version().feature() + ".options"));

    private final Path results;

    private Rig(Path results) {
        this.results = results;
    }

    /** Lets the rig start this build's broker; a test is skipped where none is built. */
    static void requireBroker() {
        Path jar = BROKER.resolve("ringtable-broker.jar");
        Assumptions.assumeTrue(Files.exists(jar), jar + " has not been packaged");
        System.setProperty("bench.broker", jar.toString());
    }

    static Rig run(Path results, String... args) throws Exception {
        System.setProperty("bench.results", results.toString());
        try {
            EndToEnd.main(Stream.concat(
                            Stream.of("rounds=1", "warmup=0", "seconds=1", "jvm=" + String.join(" ", COLD)),
                            Stream.of(args))
                    .toArray(String[]::new));
        } finally {
            System.clearProperty("bench.results");
        }
        return new Rig(results);
    }

    /** Returns the rows, each by the names of its columns. */
    List<Map<String, String>> rows() throws Exception {
        List<String[]> lines = lines().filter(line -> !line.startsWith("#"))
                .map(line -> line.split(",", -1))
                .toList();
        List<Map<String, String>> rows = new ArrayList<>();
        for (String[] cells : lines.subList(1, lines.size())) {
            Map<String, String> row = new HashMap<>();
            for (int i = 0; i < cells.length; i++) {
                row.put(lines.get(0)[i], cells[i]);
            }
            rows.add(row);
        }
        return rows;
    }

    /** Returns the lines that say where and on what it ran. */
    List<String> notes() throws Exception {
        return lines().filter(line -> line.startsWith("# ")).toList();
    }

    private Stream<String> lines() throws Exception {
        return Files.readAllLines(results.resolve("endtoend.csv")).stream();
    }

    static double number(Map<String, String> row, Figure figure) {
        return Double.parseDouble(row.get(figure.column()));
    }
}
