package io.ringtable.benchmarks.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * Reads from {@code /proc/diskstats} how often a disk was told to write through its cache (field "flush requests
 * completed" of the kernel's "I/O statistics fields"). Thread: any.
 */
final class DeviceFlushes {
    private static final int FLUSHES = 18; // the two numbers of the device, its name, then the fields
    private static final int MINOR_BITS = 20;
    private static final int MINOR_LOW_BITS = 8;

    private final String device; // numbers as in the file

    /** @param directory on the disk */
    DeviceFlushes(Path directory) {
        device = device(directory);
    }

    private static String device(Path directory) {
        try {
            long number = (long) Files.getAttribute(directory, "unix:dev");
            long major = number >> MINOR_LOW_BITS & 0xfff;
            long minor = number & 0xff | number >> MINOR_BITS - MINOR_LOW_BITS & ~0xffL;
            return major + " " + minor + " ";
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            return null; // no Linux
        }
    }

    /** Returns the flushes since the machine started; empty if the disk is not listed. */
    OptionalLong read() {
        if (device == null) {
            return OptionalLong.empty();
        }
        try (Stream<String> lines = Files.lines(Path.of("/proc/diskstats"))) {
            return lines.map(line -> line.strip().replaceAll(" +", " "))
                    .filter(line -> line.startsWith(device))
                    .map(line -> line.split(" "))
                    .filter(fields -> fields.length > FLUSHES)
                    .mapToLong(fields -> Long.parseLong(fields[FLUSHES]))
                    .findFirst();
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }
}
