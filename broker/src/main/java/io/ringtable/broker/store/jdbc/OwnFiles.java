package io.ringtable.broker.store.jdbc;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps other users of the machine from reading what the broker stores. New directories are 0700 and new files 0600
 * from the start. Files of an earlier version are tightened, with a line in the log. Files of another user stay as they
 * are, and so does everything where the file system has no such permissions (Windows).
 * <p>
 * Thread: any.
 */
public final class OwnFiles {
    private static final Logger LOG = LoggerFactory.getLogger(OwnFiles.class);
    private static final Set<PosixFilePermission> DIRECTORY = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");

    private OwnFiles() {}

    private static boolean isPosix(Path path) {
        return path.getFileSystem().equals(FileSystems.getDefault())
                && FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
    }

    /** Creates missing directories, which are this user's alone. */
    public static void createDirectories(Path directory) throws IOException {
        FileAttribute<?>[] attributes = isPosix(directory)
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(DIRECTORY)}
                : new FileAttribute<?>[0];
        Files.createDirectories(directory, attributes);
    }

    /** Creates an empty file if it is missing, and makes it this user's alone either way. */
    public static void create(Path file) throws IOException {
        if (isPosix(file) && Files.notExists(file)) {
            try {
                createNew(file);
                return;
            } catch (FileAlreadyExistsException e) {
                LOG.debug("{} was created meanwhile", file, e);
            }
        }
        tighten(file);
    }

    /** Creates an empty file, which is this user's alone. @throws FileAlreadyExistsException if there is one */
    public static void createNew(Path file) throws IOException {
        FileAttribute<?>[] attributes = isPosix(file)
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(FILE)}
                : new FileAttribute<?>[0];
        Files.createFile(file, attributes);
    }

    /** Takes other users' permissions away, if the path exists and is this user's. */
    public static void tighten(Path path) throws IOException {
        if (!isPosix(path) || !Files.exists(path)) {
            return;
        }
        PosixFileAttributes found = Files.readAttributes(path, PosixFileAttributes.class);
        Set<PosixFilePermission> kept = EnumSet.noneOf(PosixFilePermission.class);
        kept.addAll(found.permissions());
        kept.retainAll(found.isDirectory() ? DIRECTORY : FILE);
        if (kept.equals(found.permissions()) || !isOurs(found)) {
            return;
        }
        Files.setPosixFilePermissions(path, kept);
        LOG.info(
                "RT-1057 {} was {}, open to other users of this machine, and is {} now",
                path,
                PosixFilePermissions.toString(found.permissions()),
                PosixFilePermissions.toString(kept));
    }

    private static boolean isOurs(PosixFileAttributes found) throws IOException {
        Path own = Path.of("/proc/self");
        String name = Files.exists(own)
                ? Files.getOwner(own, LinkOption.NOFOLLOW_LINKS).getName()
                : System.getProperty("user.name");
        return found.owner().getName().equals(name);
    }
}
