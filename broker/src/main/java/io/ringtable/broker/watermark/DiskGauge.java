package io.ringtable.broker.watermark;

import java.io.File;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/** Measures the free space of the disk on which the broker's own database lies. */
public final class DiskGauge implements Gauge {
    private final Path directory;
    private final long freeBytesMin;
    private final LongSupplier freeBytes;

    /** Makes a gauge. @param freeBytesMin the disk is short below it; at least 1 */
    public DiskGauge(Path directory, long freeBytesMin) {
        this(directory, freeBytesMin, new File(directory.toString())::getUsableSpace);
    }

    DiskGauge(Path directory, long freeBytesMin, LongSupplier freeBytes) {
        this.directory = directory;
        this.freeBytesMin = freeBytesMin;
        this.freeBytes = freeBytes;
    }

    @Override
    public String shortage(boolean wasShort) {
        long free = freeBytes.getAsLong();
        if (free >= (wasShort ? freeBytesMin + freeBytesMin / 4 : freeBytesMin)) {
            return null;
        }
        return "the disk of " + directory + " has " + free + " bytes free, ringtable.watermark.free-disk-bytes="
                + freeBytesMin + ": make room on it";
    }
}
