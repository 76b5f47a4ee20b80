package io.ringtable.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.stream.Stream;

/** Describes the build and the machine of a run, and names no person and no host. Thread: any. */
public final class Manifest {
    private Manifest() {}

    /** Returns commit (system property {@code bench.commit}), instant, processor, memory, kernel, Java and load. */
    public static String describe() {
        return "commit " + System.getProperty("bench.commit", "unknown") + ", "
                + Instant.now().truncatedTo(ChronoUnit.SECONDS) + "\n"
                + Runtime.getRuntime().availableProcessors() + " processors (" + after("/proc/cpuinfo", "model name")
                + "), "
                + after("/proc/meminfo", "MemTotal") + " of memory, "
                + System.getProperty("os.name") + " "
                + System.getProperty("os.version").replaceFirst("^(\\d+\\.\\d+).*", "$1") + ", Java "
                + System.getProperty("java.version") + ", heap at most "
                + (Runtime.getRuntime().maxMemory() >> 20) + " MiB\n"
                + "load of the machine before it: " + firstLine("/proc/loadavg");
    }

    private static String after(String file, String key) {
        try (Stream<String> lines = Files.lines(Path.of(file))) {
            return lines.filter(line -> line.startsWith(key))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse("unknown");
        } catch (IOException e) {
            return "unknown";
        }
    }

    private static String firstLine(String file) {
        try (Stream<String> lines = Files.lines(Path.of(file))) {
            return lines.findFirst().orElse("unknown");
        } catch (IOException e) {
            return "unknown";
        }
    }
}
