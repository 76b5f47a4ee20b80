package io.ringtable.distribution;

import io.ringtable.client.Message;
import io.ringtable.client.Publisher;
import io.ringtable.client.RingtableClient;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Measures how long a broker takes from the start of its process to the first message that it has accepted. Each start
 * has a new store. {@code distribution/start-time.sh} runs it. The client's JVM is warm: one start before the measured
 * ones does not count.
 */
final class StartTime {
    private static final Pattern ACTIVE = Pattern.compile("is active: (amqp://[^\\s,]+)");
    private static final Pattern RESIDENT = Pattern.compile("VmRSS:\\s+(\\d+) kB");

    private StartTime() {}

    /** One start. Milliseconds, milliseconds of processor time, megabytes. */
    private record Start(long wall, long processor, long resident) {}

    /** @param args the script that starts the broker, and how often */
    public static void main(String[] args) throws Exception {
        Path script = Path.of(args[0]);
        int starts = Integer.parseInt(args[1]);
        start(script);
        List<Start> measured = new ArrayList<>();
        System.out.println("start  wall ms  processor ms  resident MB");
        for (int i = 1; i <= starts; i++) {
            Start start = start(script);
            measured.add(start);
            System.out.printf("%5d %8d %13d %12d%n", i, start.wall(), start.processor(), start.resident());
        }
        System.out.printf(
                "median %7d %13d %12d%n",
                median(measured, Comparator.comparing(Start::wall)).wall(),
                median(measured, Comparator.comparing(Start::processor)).processor(),
                median(measured, Comparator.comparing(Start::resident)).resident());
    }

    private static Start median(List<Start> starts, Comparator<Start> by) {
        return starts.stream().sorted(by).toList().get(starts.size() / 2);
    }

    private static Start start(Path script) throws Exception {
        Path directory = Files.createTempDirectory("start-time-");
        long began = System.nanoTime();
        Process broker = new ProcessBuilder(
                        script.toString(),
                        "broker",
                        "--ringtable.amqp.port=0",
                        "--server.port=0",
                        "--ringtable.data-dir=" + directory.resolve("data"))
                .redirectErrorStream(true)
                .start();
        try (BufferedReader log = broker.inputReader()) {
            String url = awaitActive(log);
            long wall;
            try (RingtableClient client = RingtableClient.connect(url);
                    Publisher publisher = client.publisher("queue://first")) {
                publisher.publishAndWait(Message.text("first"));
                wall = System.nanoTime() - began;
            }
            long processor =
                    broker.info().totalCpuDuration().orElse(Duration.ZERO).toMillis();
            Start start = new Start(TimeUnit.NANOSECONDS.toMillis(wall), processor, resident(broker));
            broker.toHandle().destroy(); // SIGTERM; the output stays open
            log.lines().forEach(line -> {}); // until its end
            return start;
        } finally {
            broker.destroy();
            broker.waitFor();
            delete(directory);
        }
    }

    private static String awaitActive(BufferedReader log) throws IOException {
        StringBuilder lines = new StringBuilder();
        for (String line = log.readLine(); line != null; line = log.readLine()) {
            Matcher active = ACTIVE.matcher(line);
            if (active.find()) {
                return active.group(1);
            }
            lines.append(line).append('\n');
        }
        throw new IllegalStateException("the broker has ended; its log:\n" + lines);
    }

    /** Returns what the process holds in memory, in MB, where the system tells; else 0. */
    private static long resident(Process process) throws IOException {
        Path status = Path.of("/proc", String.valueOf(process.pid()), "status");
        if (!Files.exists(status)) {
            return 0;
        }
        Matcher resident = RESIDENT.matcher(Files.readString(status));
        return resident.find() ? Long.parseLong(resident.group(1)) / 1024 : 0;
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> walk = Files.walk(directory)) {
            for (Path path : walk.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
