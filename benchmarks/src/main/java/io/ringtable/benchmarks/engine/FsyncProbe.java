package io.ringtable.benchmarks.engine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * Measures what the disk itself takes to write one page into an existing file and to sync it. This is the lower bound
 * of any durable commit, measured beside each figure because disks vary.
 * <p>
 * Thread: the benchmark's.
 */
public final class FsyncProbe implements AutoCloseable {
    private static final int PAGE_BYTES = 4096;
    private static final int PAGES = 32;
    private static final int SYNCS = 31;

    private final Path file;
    private final FileChannel channel;
    private final ByteBuffer page = ByteBuffer.allocateDirect(PAGE_BYTES);

    public FsyncProbe(Path directory) {
        try {
            file = Files.createTempFile(directory, "fsync-", ".probe");
            channel = FileChannel.open(file, StandardOpenOption.WRITE);
            for (int i = 0; i < PAGES; i++) {
                write(i);
            }
            channel.force(true);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the median of about thirty syncs, in microseconds. */
    public double medianMicros() {
        long[] nanos = new long[SYNCS];
        try {
            for (int i = 0; i < SYNCS; i++) {
                long begun = System.nanoTime();
                write(i % PAGES);
                channel.force(false);
                nanos[i] = System.nanoTime() - begun;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Arrays.sort(nanos);
        return nanos[SYNCS / 2] / 1e3;
    }

    private void write(int index) throws IOException {
        page.clear();
        channel.write(page, (long) index * PAGE_BYTES);
    }

    @Override
    public void close() {
        try {
            channel.close();
            Files.delete(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
