package io.ringtable.testcontainers;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.client.Message;
import io.ringtable.client.Publisher;
import io.ringtable.client.Receiver;
import io.ringtable.client.RingtableClient;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.ContainerFetchException;

/**
 * The container itself, where Docker and the image are. Without them the test is skipped with the reason; {@code
 * -Dengines.required=docker} lets it fail.
 */
class RingtableContainerStartTest {

    @Test
    void servesAClientOfTheHost() {
        if (!DockerClientFactory.instance().isDockerAvailable()) {
            failOrSkip("Docker is absent: the container's start was not tested", null);
        }
        try (RingtableContainer container = new RingtableContainer()) {
            start(container);
            try (RingtableClient client = RingtableClient.builder()
                            .uri(container.getUri())
                            .user(container.getUser(), container::getPassword)
                            .connect();
                    Publisher orders = client.publisher("queue://orders");
                    Receiver receiver = client.receiver("queue://orders")) {
                orders.publishAndWait(Message.text("one book"));

                assertThat(receiver.receive(Duration.ofSeconds(60))
                                .orElseThrow()
                                .text())
                        .isEqualTo("one book");
            }
        }
    }

    private static void start(RingtableContainer container) {
        try {
            container.start();
        } catch (ContainerFetchException absent) {
            failOrSkip("the image " + container.getDockerImageName() + " is absent: load it into Docker", absent);
        }
    }

    private static void failOrSkip(String reason, Exception cause) {
        if (List.of(System.getProperty("engines.required", "").split("\\s*,\\s*"))
                .contains("docker")) {
            Assertions.fail(reason + ", and engines.required names docker", cause);
        }
        System.err.println("SKIPPED: " + reason);
        Assumptions.abort(reason);
    }
}
