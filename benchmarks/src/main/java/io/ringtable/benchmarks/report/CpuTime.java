package io.ringtable.benchmarks.report;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Reads processor time: of a process with everything that it started (from {@code /proc}; 0 without it), of this
 * process, and of all processes. On a shared machine processor time says more than the clock: neighbours take the
 * processor away, but do not add to it. Thread: any.
 */
public final class CpuTime {
    private static final double TICKS_PER_SECOND = 100; // USER_HZ, the same on every Linux that Java runs on
    private static final int UTIME =
            11; // user, system, and both of the children that have ended; fields after the name
    private static final int STIME = 12;
    private static final int CSTIME = 14;
    private static final Pattern NUMBER = Pattern.compile("[-\\d]+$");
    private static final int USER = 1; // fields of all processors together, after their name
    private static final int IDLE = 4;
    private static final int IOWAIT = 5;
    private static final int STEAL = 8;

    private CpuTime() {}

    /** Returns the seconds of a process so far, with its children, live or ended. */
    public static double seconds(ProcessHandle process) {
        double ticks = ticks(process.pid());
        for (ProcessHandle child : process.descendants().toList()) {
            ticks += ticks(child.pid());
        }
        return ticks / TICKS_PER_SECOND;
    }

    /** Returns the seconds of this process so far, without its children. */
    public static double ownSeconds() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime() / 1e9;
    }

    /** Returns the seconds that all processors together were busy, or lent to other virtual machines. */
    public static double machineSeconds() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/stat"))) {
            String[] fields = lines.findFirst().orElseThrow().split(" +");
            double ticks = 0;
            for (int field = USER; field <= STEAL; field++) {
                ticks += field == IDLE || field == IOWAIT ? 0 : Long.parseLong(fields[field]);
            }
            return ticks / TICKS_PER_SECOND;
        } catch (IOException e) {
            return Double.NaN; // no Linux
        }
    }

    /**
     * Returns the seconds of the live threads of a process so far, by their names. Numbers behind a name are cut off,
     * so that threads of the same kind add up. Linux keeps 15 characters of a name.
     */
    public static Map<String, Double> threadSeconds(ProcessHandle process) {
        Map<String, Double> seconds = new HashMap<>();
        try (Stream<Path> threads = Files.list(Path.of("/proc/" + process.pid() + "/task"))) {
            threads.forEach(thread -> {
                String stat = stat(thread);
                if (stat != null) {
                    String name = stat.substring(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
                    seconds.merge(
                            NUMBER.matcher(name).replaceFirst(""), ticks(stat, STIME) / TICKS_PER_SECOND, Double::sum);
                }
            });
        } catch (IOException e) {
            return Map.of(); // ended meanwhile, or no Linux
        }
        return seconds;
    }

    private static double ticks(long pid) {
        String stat = stat(Path.of("/proc/" + pid));
        return stat == null ? 0 : ticks(stat, CSTIME);
    }

    /** Returns what the system says of a process or a thread; null if it has ended meanwhile. */
    private static String stat(Path of) {
        try {
            return Files.readString(of.resolve("stat"));
        } catch (IOException e) {
            return null;
        }
    }

    private static double ticks(String stat, int last) {
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        double ticks = 0;
        for (int field = UTIME; field <= last; field++) {
            ticks += Long.parseLong(fields[field]);
        }
        return ticks;
    }
}
