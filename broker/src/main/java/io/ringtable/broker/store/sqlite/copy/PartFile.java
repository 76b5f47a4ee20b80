package io.ringtable.broker.store.sqlite.copy;

import io.ringtable.broker.store.StoreFailure;
import io.ringtable.broker.store.StoreFailure.Kind;
import io.ringtable.broker.store.jdbc.OwnFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Holds a file under another name, {@code <name>.part}, until it is complete and on disk. A file with the final name is
 * therefore whole.
 * <p>
 * A part that is closed unfinished is deleted, also when the process is told to end (SIGINT, SIGTERM). A process that
 * is killed leaves it, and the next one says so: it may be the work of another process.
 * <p>
 * Thread: the caller's; a thread of the JVM at its end.
 */
final class PartFile implements AutoCloseable {
    private static final String SUFFIX = ".part";

    private final Path target;
    private final Path part;
    private final Thread atTheEnd = new Thread(this::delete, "delete-part");
    private boolean isMade; // guarded by this
    private boolean isOver; // guarded by this

    private PartFile(Path target, Path part) {
        this.target = target;
        this.part = part;
    }

    /** Makes the part, empty and this user's alone. Refuses a part that exists. */
    static PartFile of(Path target) {
        Path part = beside(target, SUFFIX);
        PartFile made = new PartFile(target, part);
        try {
            Runtime.getRuntime().addShutdownHook(made.atTheEnd);
            made.create();
        } catch (FileAlreadyExistsException e) {
            made.close();
            throw new StoreFailure(
                    Kind.NOT_WRITABLE,
                    "RT-3041",
                    "'" + part + "' exists: another process is writing it, or one was killed; delete it if none is",
                    e);
        } catch (IOException e) {
            made.close();
            throw notWritable(target, e);
        }
        return made;
    }

    /** Makes the file while the end of the JVM waits, so that no file is left of a process that was told to end. */
    private synchronized void create() throws IOException {
        if (isOver) {
            throw new IOException("the process ends");
        }
        OwnFiles.createNew(part);
        isMade = true;
    }

    /** Returns the file that has the name of another and more. */
    static Path beside(Path file, String suffix) {
        return file.resolveSibling(file.getFileName() + suffix);
    }

    static StoreFailure exists(Path target, Throwable cause) {
        return new StoreFailure(
                Kind.NOT_WRITABLE,
                "RT-3040",
                "'" + target + "' exists, and no file is ever overwritten: choose another name, or move it away",
                cause);
    }

    static StoreFailure notWritable(Path target, IOException e) {
        return new StoreFailure(
                Kind.NOT_WRITABLE,
                "RT-3042",
                "'" + target + "' cannot be written (" + e + "): name a place in a directory that this user may write",
                e);
    }

    Path path() {
        return part;
    }

    /** Syncs the part to disk and gives it the final name, which nothing may have. */
    void finish() {
        try {
            sync(part, StandardOpenOption.WRITE);
            name();
            sync(target.toAbsolutePath().getParent(), StandardOpenOption.READ);
        } catch (FileAlreadyExistsException e) {
            throw exists(target, e);
        } catch (IOException e) {
            throw notWritable(target, e);
        }
    }

    /** Gives the name by a link, which fails where the name is taken; a file system without links gets a look first. */
    private void name() throws IOException {
        try {
            Files.createLink(target, part);
            Files.delete(part);
        } catch (FileAlreadyExistsException e) {
            throw e;
        } catch (FileSystemException e) {
            Files.move(part, target); // fails where the target exists
        }
    }

    private static void sync(Path file, StandardOpenOption option) throws IOException {
        if (option == StandardOpenOption.READ
                && file.getFileSystem().getSeparator().equals("\\")) {
            return; // Windows opens no directory; its file system logs names by itself
        }
        try (FileChannel channel = FileChannel.open(file, option)) {
            channel.force(true);
        }
    }

    @Override
    public void close() {
        delete();
        try {
            Runtime.getRuntime().removeShutdownHook(atTheEnd);
        } catch (IllegalStateException e) {
            return; // the JVM is ending, and has run it or is about to
        }
    }

    /** Deletes what is left of the part, with the files that SQLite has laid beside it. */
    private synchronized void delete() {
        isOver = true;
        if (!isMade) {
            return; // a file of that name is another one's
        }
        for (String suffix : new String[] {"", "-journal", "-wal", "-shm"}) {
            try {
                Files.deleteIfExists(beside(part, suffix));
            } catch (IOException e) {
                return; // it is seen by its name, and refused by the next one
            }
        }
    }
}
