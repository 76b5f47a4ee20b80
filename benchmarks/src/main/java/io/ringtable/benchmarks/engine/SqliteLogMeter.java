package io.ringtable.benchmarks.engine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Counts the frames that commits append to SQLite's write-ahead log. The count comes from the header of the log's index
 * in shared memory ("WAL file format", section 2). The number of frames stands at 16, the salts at 32, the checkpointed
 * frames at 96. The file's length tells nothing, because SQLite begins the log anew in place.
 * <p>
 * Thread: any. The channel stays open as long as the store is, because closing it would release the process's locks.
 */
final class SqliteLogMeter implements LogMeter {
    private static final int PAGE_SIZE_AT = 14;
    private static final int FRAMES_AT = 16;
    private static final int SALT_AT = 32;
    private static final int CHECKPOINTED_AT = 96;
    private static final int HEADER_BYTES = 100;
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
    public synchronized void committed() {
        int saltNow = header.getInt(SALT_AT);
        int framesNow = header.getInt(FRAMES_AT);
        written += saltNow == salt ? framesNow - frames : framesNow;
        salt = saltNow;
        frames = framesNow;
    }

    /** Returns the frames so far, each with one page. */
    synchronized long frames() {
        return written;
    }

    /** Returns the frames that wait for a checkpoint; a page that was changed in two commits has two. */
    int waiting() {
        return header.getInt(FRAMES_AT) - header.getInt(CHECKPOINTED_AT);
    }

    @Override
    public synchronized long bytes() {
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
