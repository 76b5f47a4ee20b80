package io.ringtable.acceptance.greed;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Processor time since the machine started, as Linux counts it.
 *
 * @param broker seconds of the broker
 * @param others seconds of all processes except the broker, the test and the attackers; they disturb a measurement
 */
record ProcessorTime(double broker, double others) {
    private static final double TICKS_PER_SECOND = 100; // USER_HZ on every Linux
    private static final int UTIME = 11; // behind the name of the process, as STIME
    private static final int STIME = 12;
    private static final int IDLE = 4; // of the line of all processors, as IOWAIT and STEAL
    private static final int IOWAIT = 5;
    private static final int FIELDS = 9; // guests are in user time already

    static ProcessorTime now(long broker, long attackers) {
        double its = of(broker);
        double others =
                machine() - its - of(attackers) - of(ProcessHandle.current().pid());
        return new ProcessorTime(its, others);
    }

    ProcessorTime since(ProcessorTime earlier) {
        return new ProcessorTime(broker - earlier.broker, others - earlier.others);
    }

    private static double of(long process) {
        Path file = Path.of("/proc", Long.toString(process), "stat");
        if (!Files.exists(file)) {
            return 0;
        }
        String line = firstLine(file);
        String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fields[UTIME]) + Long.parseLong(fields[STIME])) / TICKS_PER_SECOND;
    }

    private static double machine() {
        String[] fields = firstLine(Path.of("/proc/stat")).split(" +");
        long busy = 0;
        for (int field = 1; field < FIELDS; field++) {
            busy += field == IDLE || field == IOWAIT ? 0 : Long.parseLong(fields[field]);
        }
        return busy / TICKS_PER_SECOND;
    }

    private static String firstLine(Path file) {
        try {
            return Files.readAllLines(file).get(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
