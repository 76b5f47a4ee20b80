package io.ringtable.client;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The SDK against the broker itself, one for all tests of a class. Each test has addresses of its own. */
@Timeout(120)
abstract class OneBrokerScenario {
    static final Duration SOON = Duration.ofSeconds(60);

    @TempDir
    static Path directory;

    static RealBroker broker;
    final String address = "test-" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        broker = RealBroker.start(directory);
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    static ReceivedMessage take(Receiver receiver) {
        return receiver.receive(SOON).orElseThrow();
    }

    static List<Message> numbered(int count) {
        return numbered(0, count);
    }

    static List<Message> numbered(int from, int count) {
        return IntStream.range(from, from + count)
                .mapToObj(n ->
                        Message.builder().text("message " + n).property("n", n).build())
                .toList();
    }
}
