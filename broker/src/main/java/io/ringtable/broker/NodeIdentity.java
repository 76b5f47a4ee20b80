package io.ringtable.broker;

import io.ringtable.broker.store.jdbc.OwnFiles;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/**
 * Identifies this node by an id in its data directory. A restarted node therefore replaces itself immediately, without
 * waiting for its own lease.
 * <p>
 * The node locks the file while it lives: two processes with one id would replace each other for ever. The operating
 * system releases the lock when the process ends, in whatever way.
 * <p>
 * Thread: any.
 */
final class NodeIdentity implements AutoCloseable {
    private static final String FILE = "node-id";
    private static final int ID_BYTES_MAX = 200;

    private final FileChannel channel;
    private final String id;

    private NodeIdentity(FileChannel channel, String id) {
        this.channel = channel;
        this.id = id;
    }

    /** Reads the id, or makes one. The error names a directory that is not writable, or that another node uses. */
    static NodeIdentity of(Path dataDir) {
        FileChannel channel = null;
        try {
            OwnFiles.createDirectories(dataDir);
            OwnFiles.tighten(dataDir);
            OwnFiles.create(dataDir.resolve(FILE));
            channel = FileChannel.open(
                    dataDir.resolve(FILE),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE);
            if (!lock(channel)) {
                throw new IllegalStateException("RT-1008 ringtable.data-dir=" + dataDir
                        + " is in use by another broker: stop it, or give this one a directory of its own");
            }
            return new NodeIdentity(channel, readOrMake(channel));
        } catch (IOException e) {
            close(channel);
            throw new IllegalStateException(
                    "RT-1007 ringtable.data-dir=" + dataDir + " cannot hold the id of this node (" + e
                            + "): name a directory that this process may write",
                    e);
        } catch (RuntimeException e) {
            close(channel);
            throw e;
        }
    }

    private static boolean lock(FileChannel channel) throws IOException {
        try {
            FileLock lock = channel.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException e) { // this process holds it already
            return false;
        }
    }

    private static String readOrMake(FileChannel channel) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(ID_BYTES_MAX);
        channel.read(bytes, 0);
        String stored = new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8).strip();
        if (!stored.isEmpty()) {
            return stored;
        }
        String made = UUID.randomUUID().toString();
        channel.write(ByteBuffer.wrap((made + System.lineSeparator()).getBytes(StandardCharsets.UTF_8)), 0);
        channel.force(true);
        return made;
    }

    String id() {
        return id;
    }

    /** Releases the id: another process may be this node from now on. */
    @Override
    public void close() {
        close(channel);
    }

    private static void close(FileChannel channel) {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException e) {
                // The lock ends with the process at the latest, and the channel held nothing else.
                return;
            }
        }
    }

    /** Describes this node for people, in the owner row. */
    static String description() {
        String host;
        try {
            host = InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            host = "localhost";
        }
        return host + " pid " + ProcessHandle.current().pid();
    }
}
