package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeIdentityTest {
    @TempDir
    Path directory;

    @Test
    void aNodeKeepsItsIdAcrossRestarts() {
        String id;
        try (NodeIdentity first = NodeIdentity.of(directory)) {
            id = first.id();
        }
        try (NodeIdentity again = NodeIdentity.of(directory)) {
            assertThat(again.id()).isEqualTo(id).isNotBlank();
        }
    }

    @Test
    void aDirectoryThatAnotherNodeUsesIsRefusedByName() {
        try (NodeIdentity first = NodeIdentity.of(directory)) {
            assertThat(first.id()).isNotBlank();
            assertThatThrownBy(() -> NodeIdentity.of(directory))
                    .hasMessageStartingWith("RT-1008")
                    .hasMessageContaining(directory.toString());
        }
        NodeIdentity.of(directory).close();
    }

    @Test
    void otherUsersOfTheMachineReadNothing() throws IOException {
        assumeThat(directory.getFileSystem().supportedFileAttributeViews()).contains("posix");
        Path made = directory.resolve("made").resolve("data");
        NodeIdentity.of(made).close();
        assertThat(permissions(made)).isEqualTo("rwx------");
        assertThat(permissions(made.resolve("node-id"))).isEqualTo("rw-------");

        Path old = Files.createDirectory(directory.resolve("old"));
        Files.setPosixFilePermissions(old, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path id = Files.writeString(old.resolve("node-id"), "the-id");
        Files.setPosixFilePermissions(id, PosixFilePermissions.fromString("rw-r--r--"));
        try (NodeIdentity identity = NodeIdentity.of(old)) {
            assertThat(identity.id()).isEqualTo("the-id");
        }
        assertThat(permissions(old)).isEqualTo("rwx------");
        assertThat(permissions(id)).isEqualTo("rw-------");
    }

    private static String permissions(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void aDirectoryThatCannotHoldTheIdIsRefusedByName() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "in the way");
        assertThatThrownBy(() -> NodeIdentity.of(file))
                .hasMessageStartingWith("RT-1007")
                .hasMessageContaining(file.toString());
    }
}
