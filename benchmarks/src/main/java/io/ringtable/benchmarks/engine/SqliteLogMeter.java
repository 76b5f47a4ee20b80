package io.ringtable.benchmarks.engine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Counts the frames that commits append to SQLite's write-ahead log, from the header of the log's index in shared
 * memory ("WAL file format", section 2: salts at 32, number of frames at 16). The file's length tells nothing, because
 * SQLite begins the log anew in place.
 * <p>
 * The channel stays open as long as the store is: closing it would release the process's locks on the file.
 */
final class SqliteLogMeter implements LogMeter {
    private static final int PAGE_SIZE_AT = 14;
    private static final int FRAMES_AT = 16;
    private static final int SALT_AT = 32;
    private static final int HEADER_BYTES = 48;
    private static final int FRAME_HEADER_BYTES = 24;

    private final FileChannel channel;
    private final MappedByteBuffer header;
    private final int frameBytes;
    private int salt;
    private int frames;
    private long written;

    SqliteLogMeter(Path file) {
        try {
            channel = FileChannel.open(file.resolveSibling(file.getFileName() + "-shm"), StandardOpenOption.READ);
            header = channel.map(FileChannel.MapMode.READ_ONLY, 0, HEADER_BYTES);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        header.order(ByteOrder.nativeOrder());
        int pageSize = header.getShort(PAGE_SIZE_AT) & 0xffff;
        frameBytes = FRAME_HEADER_BYTES + (pageSize == 1 ? 65_536 : pageSize);
        salt = header.getInt(SALT_AT);
        frames = header.getInt(FRAMES_AT);
    }

    @Override
    public void committed() {
        int saltNow = header.getInt(SALT_AT);
        int framesNow = header.getInt(FRAMES_AT);
        written += saltNow == salt ? framesNow - frames : framesNow;
        salt = saltNow;
        frames = framesNow;
    }

    /** Returns the frames so far, each with one page. */
    long frames() {
        return written;
    }

    @Override
    public long bytes() {
        return written * frameBytes;
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
