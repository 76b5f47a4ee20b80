package io.ringtable.benchmarks.endtoend;

import io.ringtable.benchmarks.engine.BenchmarkDatabase;
import io.ringtable.benchmarks.engine.Databases;
import io.ringtable.benchmarks.report.CpuTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.postgresql.PGConnection;

/** Reads what a process takes, or several of them, with everything that they started. Thread: main. */
final class ProcessMeter {
    /** Takes nothing, as there is no such process. */
    static final ProcessMeter NONE = new ProcessMeter(List.of(), 0);

    /** Takes what cannot be seen from here. */
    static final ProcessMeter UNKNOWN = new ProcessMeter(List.of(), Double.NaN);

    private static final String SHARE = "Pss:"; // memory that processes share counts once for all of them

    private final List<ProcessHandle> processes;
    private final double otherwise; // where there is none to read from

    private ProcessMeter(List<ProcessHandle> processes, double otherwise) {
        this.processes = processes;
        this.otherwise = otherwise;
    }

    static ProcessMeter of(ProcessHandle process) {
        return new ProcessMeter(List.of(process), Double.NaN);
    }

    /** Adds up what several processes take. */
    static ProcessMeter ofAll(List<ProcessMeter> meters) {
        return new ProcessMeter(
                meters.stream().flatMap(meter -> meter.processes.stream()).toList(), Double.NaN);
    }

    /** Finds the database's server: none for an embedded engine, unknown if it does not run on this machine. */
    static ProcessMeter of(BenchmarkDatabase database) {
        if (Databases.SQLITE.equals(database.engine())) {
            return NONE;
        }
        try (Connection connection = database.connect()) {
            return connection.isWrapperFor(PGConnection.class)
                    ? ofPostgresql(connection.unwrap(PGConnection.class).getBackendPID())
                    : UNKNOWN;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Finds the server, which is the parent of a session's process. A server elsewhere names a process that is not of
     * its kind.
     */
    private static ProcessMeter ofPostgresql(int session) {
        Optional<ProcessHandle> server = ProcessHandle.of(session)
                .filter(process -> process.info().command().orElse("").endsWith("/postgres"))
                .flatMap(ProcessHandle::parent);
        return server.isPresent() ? of(server.get()) : UNKNOWN;
    }

    double cpuSeconds() {
        return processes.isEmpty()
                ? otherwise
                : processes.stream().mapToDouble(CpuTime::seconds).sum();
    }

    /** Returns the processor time of each kind of threads so far, without children; empty where it cannot be seen. */
    Map<String, Double> threadSeconds() {
        Map<String, Double> seconds = new HashMap<>();
        processes.forEach(process -> CpuTime.threadSeconds(process)
                .forEach((name, ofProcess) -> seconds.merge(name, ofProcess, Double::sum)));
        return seconds;
    }

    double megabytes() {
        return processes.isEmpty()
                ? otherwise
                : processes.stream().mapToDouble(ProcessMeter::withChildren).sum();
    }

    private static double withChildren(ProcessHandle process) {
        return megabytes(process)
                + process.descendants()
                        .mapToDouble(ProcessMeter::megabytes)
                        .filter(size -> !Double.isNaN(size)) // ended meanwhile
                        .sum();
    }

    /** Returns the memory of this process without its children. */
    static double ownMegabytes() {
        return megabytes(ProcessHandle.current());
    }

    private static double megabytes(ProcessHandle process) {
        try (Stream<String> lines = Files.lines(Path.of("/proc/" + process.pid() + "/smaps_rollup"))) {
            return lines.filter(line -> line.startsWith(SHARE))
                    .mapToDouble(line -> Double.parseDouble(line.split("\\s+")[1]) / 1024)
                    .findFirst()
                    .orElse(Double.NaN);
        } catch (IOException e) {
            return Double.NaN; // ended, or no Linux
        }
    }
}
