package io.ringtable.benchmarks.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Reads from {@code /proc/diskstats} what a disk has written, and how often it was told to write through its cache: the
 * kernel's "I/O statistics fields". Thread: any.
 */
final class DeviceCounts {
    private static final int WRITES = 7; // the two numbers of the device, its name, then the fields
    private static final int SECTORS_WRITTEN = 9;
    private static final int FLUSHES = 18;
    private static final int SECTOR_BYTES = 512; // of any disk, by the kernel's convention
    private static final int MINOR_BITS = 20;
    private static final int MINOR_LOW_BITS = 8;

    private final String device; // numbers as in the file

    /** @param directory on the disk */
    DeviceCounts(Path directory) {
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

    /** Returns the disk's counts since the machine started; empty if the disk is not listed. */
    Map<Count, Long> read() {
        if (device == null) {
            return Map.of();
        }
        try (Stream<String> lines = Files.lines(Path.of("/proc/diskstats"))) {
            return lines.map(line -> line.strip().replaceAll(" +", " "))
                    .filter(line -> line.startsWith(device))
                    .map(line -> line.split(" "))
                    .filter(fields -> fields.length > FLUSHES)
                    .map(DeviceCounts::counts)
                    .findFirst()
                    .orElse(Map.of());
        } catch (IOException e) {
            return Map.of();
        }
    }

    private static Map<Count, Long> counts(String[] fields) {
        return Map.of(
                Count.DEVICE_WRITES, Long.parseLong(fields[WRITES]),
                Count.DEVICE_BYTES, Long.parseLong(fields[SECTORS_WRITTEN]) * SECTOR_BYTES,
                Count.DEVICE_FLUSHES, Long.parseLong(fields[FLUSHES]));
    }
}
