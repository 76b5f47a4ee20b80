package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
    void aDirectoryThatCannotHoldTheIdIsRefusedByName() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "in the way");
        assertThatThrownBy(() -> NodeIdentity.of(file))
                .hasMessageStartingWith("RT-1007")
                .hasMessageContaining(file.toString());
    }
}
