package io.ringtable.acceptance.greed;

import io.ringtable.acceptance.harness.BrokerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Measures the memory and the processor time of a broker's process. The heap comes from the log of its collector, which
 * costs the broker nothing.
 */
final class BrokerLoad {
    private static final Pattern COLLECTION = Pattern.compile("(\\d+)M->(\\d+)M\\(\\d+M\\) (\\d+\\.\\d+)ms");

    private final BrokerProcess broker;
    private final long attackers; // process
    private final Path collections;
    private int before; // lines
    private ProcessorTime timeBefore;

    BrokerLoad(BrokerProcess broker, long attackers) {
        this.broker = broker;
        this.attackers = attackers;
        this.collections = broker.settings().directory().resolve("gc.log");
    }

    static String[] options(String more) {
        String options = "-Xmx512m -Xlog:gc:file=gc.log " + more;
        return options.strip().split("\\s+");
    }

    /** Begins to count: earlier load is left out. */
    void begin() {
        before = lines().size();
        timeBefore = ProcessorTime.now(broker.pid(), attackers);
    }

    String since(double seconds) {
        long peak = 0;
        long kept = 0;
        double pause = 0;
        List<String> lines = lines();
        for (String line : lines.subList(before, lines.size())) {
            Matcher collection = COLLECTION.matcher(line);
            if (line.contains("Pause") && collection.find()) {
                peak = Math.max(peak, Long.parseLong(collection.group(1)));
                kept = Math.max(kept, Long.parseLong(collection.group(2)));
                pause = Math.max(pause, Double.parseDouble(collection.group(3)));
            }
        }
        ProcessorTime time = ProcessorTime.now(broker.pid(), attackers).since(timeBefore);
        return String.format(
                Locale.ROOT,
                "%4d %4d %5d %6.1f %5.2f %6.2f",
                peak,
                kept,
                residentPeak(),
                pause,
                time.broker() / seconds,
                time.others() / seconds);
    }

    static String head() {
        return "heap kept   rss  pause cores others";
    }

    /** In MB. */
    private long residentPeak() {
        return lines(Path.of("/proc", Long.toString(broker.pid()), "status")).stream()
                .filter(line -> line.startsWith("VmHWM:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D+", "")) / 1024)
                .findFirst()
                .orElse(0);
    }

    private List<String> lines() {
        return lines(collections);
    }

    private static List<String> lines(Path file) {
        try {
            return Files.exists(file) ? Files.readAllLines(file) : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
