package io.ringtable.acceptance.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file system in memory that can be full or read-only. Mounting asks for the rights of root. */
public final class SmallDisk implements AutoCloseable {
    private static final String FILLER = "filler";

    private final Path mountPoint;

    private SmallDisk(Path mountPoint) {
        this.mountPoint = mountPoint;
    }

    /** Skips the test where it cannot be mounted, or fails it where {@code tools.required} names mount. */
    public static SmallDisk mount(Path mountPoint, int megabytes) {
        try {
            Files.createDirectories(mountPoint);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Required.program(
                "tools.required",
                "mount",
                "mount",
                "-t",
                "tmpfs",
                "-o",
                "size=" + megabytes + "m",
                "tmpfs",
                "" + mountPoint);
        return new SmallDisk(mountPoint);
    }

    public Path directory() {
        return mountPoint;
    }

    /** Leaves nothing of it free, or so many KiB. */
    public void fill(int kilobytesLeft) throws IOException {
        long room = Files.getFileStore(mountPoint).getUsableSpace() - kilobytesLeft * 1_024L;
        Files.write(mountPoint.resolve(FILLER), new byte[(int) Math.max(0, room)]);
    }

    public void makeRoom() throws IOException {
        Files.deleteIfExists(mountPoint.resolve(FILLER));
    }

    public void makeReadOnly() {
        remount("ro");
    }

    public void makeWritable() {
        remount("rw");
    }

    public void resize(int megabytes) {
        remount("size=" + megabytes + "m");
    }

    private void remount(String option) {
        String failure = Required.failureOf("mount", "-o", "remount," + option, mountPoint.toString());
        if (failure != null) {
            throw new IllegalStateException(failure);
        }
    }

    @Override
    public void close() {
        String failure = Required.failureOf("umount", mountPoint.toString());
        if (failure != null) {
            throw new IllegalStateException(failure);
        }
    }
}
