package io.ringtable.cli;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ringtable.cli.failure.ExitCode;
import io.ringtable.cli.process.BrokerProcess;
import io.ringtable.client.Message;
import io.ringtable.client.Publisher;
import io.ringtable.client.Receiver;
import io.ringtable.client.RingtableClient;
import io.ringtable.client.SubscriptionOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads {@code ringtable status} of brokers in trouble, each in a process of its own. */
class StatusOfTroubleTest {
    @TempDir
    Path directory;

    @AfterEach
    void forgetTheBroker() {
        PackagedBroker.stop(null); // each test has closed its own
    }

    @Test
    void publishersAreHeldBack() {
        try (BrokerProcess broker = PackagedBroker.start(directory, "--ringtable.watermark.free-disk-bytes=1000TB")) {
            await().atMost(60, SECONDS)
                    .untilAsserted(() -> assertThat(status(broker))
                            .anyMatch(line -> line.startsWith("HELD BACK  all publishers: ") && line.contains("disk")));
        }
    }

    /** The dead-letter queue has room for one message. */
    @Test
    void deadLettersCannotLeaveTheirAddress() throws Exception {
        try (BrokerProcess broker = PackagedBroker.start(directory, "--ringtable.commit.quota-messages=1");
                RingtableClient client = RingtableClient.connect(broker.amqpUrl());
                Publisher publisher = client.publisher("queue://orders");
                Receiver receiver = client.receiver(SubscriptionOptions.queue("orders"))) {
            for (String body : List.of("first", "second")) {
                publisher.publish(Message.text(body)).get(60, SECONDS);
                receiver.receive(Duration.ofSeconds(60)).orElseThrow().reject("of no use");
            }

            await().atMost(60, SECONDS)
                    .untilAsserted(() -> assertThat(status(broker))
                            .anyMatch(line -> line.matches("STUCK      orders, \\d+ times: .*RT-2340.*")));
        }
    }

    private static List<String> status(BrokerProcess broker) {
        Run run = Run.of("status", "--http", broker.httpUrl().toString());
        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);
        return run.lines();
    }
}
