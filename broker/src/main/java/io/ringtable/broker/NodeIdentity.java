package io.ringtable.broker;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/**
 * Who this node is: an id that lies in its data directory, so that a node that was restarted supersedes itself at once
 * instead of waiting for its own lease.
 */
final class NodeIdentity {
    private static final String FILE = "node-id";

    private NodeIdentity() {}

    /** Reads the id, or makes one. A directory that cannot be written is refused by name. */
    static String of(Path dataDir) {
        Path file = dataDir.resolve(FILE);
        try {
            if (Files.exists(file)) {
                return Files.readString(file).strip();
            }
            Files.createDirectories(dataDir);
            String id = UUID.randomUUID().toString();
            Files.writeString(file, id + System.lineSeparator());
            return id;
        } catch (IOException e) {
            throw new IllegalStateException(
                    "RT-1007 data-dir=" + dataDir + " cannot hold this node's id (" + e
                            + "): name a directory that this" + " process may write",
                    e);
        }
    }

    /** For people, in the owner row. */
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
