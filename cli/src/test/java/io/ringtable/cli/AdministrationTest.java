package io.ringtable.cli;

import static java.util.concurrent.TimeUnit.MINUTES;
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
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Administers a broker in a process of its own: messages, dead letters, jobs, connections, policies. */
class AdministrationTest {
    @TempDir
    static Path directory;

    private static BrokerProcess broker;

    @BeforeAll
    static void startBroker() {
        broker = PackagedBroker.start(directory);
    }

    @AfterAll
    static void stopBroker() {
        PackagedBroker.stop(broker);
    }

    @Test
    void aMessageIsSentFoundShownExplainedCorrectedAndDeleted() {
        done("address", "create", "queue://letters");
        done(
                "message",
                "send",
                "letters",
                "--body",
                "{\"to\": \"LIS\"}",
                "--body-type",
                "json",
                "--header",
                "messageId=m-1",
                "--header",
                "priority=7",
                "--property",
                "seats:=180",
                "--property",
                "country=PT");

        JsonNode found = json("message", "list", "letters", "--id", "m-1", "--since", "1h");
        String sequence = found.path("sequence").asString();
        Run shown = done("message", "show", sequence);
        Run explained = done("explain", sequence);
        done("message", "copy", sequence, "--to", "queue://letters", "--property", "country=ES", "--body", "fixed");
        JsonNode copy = json("message", "list", "letters", "--selector", "country = 'ES' AND seats = 180");
        Run deleted = done("message", "delete", sequence);
        Run again = run("message", "delete", sequence);

        assertThat(found.path("priority").asInt()).isEqualTo(7);
        assertThat(shown.lines()).contains("applicationProperties", "  country  PT", "      \"to\" : \"LIS\"");
        assertThat(explained.out()).contains("NO_CONSUMER", "queue 'letters'", "a client without a login");
        assertThat(copy.path("preview").asString()).isEqualTo("fixed");
        assertThat(deleted.out()).startsWith("deleted message " + sequence);
        assertThat(again.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(again.err()).matches("RT-72\\d\\d .*\\R");
        assertThat(done("message", "list", "letters").lines()).hasSize(2); // the head, and the copy
    }

    @Test
    void deadLettersAreCountedAndDrivenBack() throws Exception {
        try (RingtableClient client = RingtableClient.connect(broker.amqpUrl());
                Publisher publisher = client.publisher("queue://bills");
                Receiver receiver = client.receiver(SubscriptionOptions.queue("bills"))) {
            for (String body : List.of("late", "odd", "late")) {
                publisher.publishAndWait(Message.text(body));
                receiver.receive(Duration.ofSeconds(60)).orElseThrow().reject(body);
            }
        }
        await().atMost(1, MINUTES)
                .until(() ->
                        run("deadletter", "list", "--output", "json").lines().size() == 2);

        Run table = done("deadletter", "list", "--by", "origin");
        Run dry = done("deadletter", "redrive", "--reason", "*late", "--dry-run");
        Run old = done("deadletter", "redrive", "--until", "1h", "--dry-run");
        Run young = done("deadletter", "redrive", "--since", "1h", "--dry-run");
        Run odd = done("deadletter", "redrive", "--selector", "1 = 1", "--max", "2");
        Run rest = done("deadletter", "redrive", "--origin", "bills", "--rate", "1000");

        assertThat(table.lines().get(1)).matches("bills +3  .*");
        assertThat(dry.out()).contains("nothing is changed");
        assertThat(old.out()).contains("0 messages match");
        assertThat(young.out()).contains("3 messages match");
        assertThat(odd.out()).contains("2 messages done");
        assertThat(rest.out()).contains("1 messages done");
        assertThat(json("address", "list", "--filter", "bills").path("messages").asLong())
                .isEqualTo(3);
        assertThat(run("deadletter", "list").out().strip()).isEqualTo("(none)");
        assertThat(done("job", "list", "--output", "json").lines()).hasSizeGreaterThanOrEqualTo(3);
        assertThat(done("address", "purge", "queue://bills").out()).contains("3 messages done");
    }

    @Test
    void theOnlyNodeIsListedAndStatusNamesNoOther() {
        JsonNode node = json("node", "list");

        assertThat(node.path("self").asBoolean()).isTrue();
        assertThat(node.path("state").asString()).isEqualTo("ACTIVE");
        assertThat(node.path("url").asString()).isEqualTo(broker.amqpUrl().toString());
        assertThat(node.path("shards").toString()).isEqualTo("[0]");
        assertThat(done("node", "list", "--filter", node.path("id").asString()).lines())
                .hasSize(2);
        assertThat(done("node", "list", "--filter", "nobody").lines()).containsExactly("(none)");
        assertThat(done("status").lines()).noneMatch(line -> line.startsWith("other node"));
    }

    @Test
    void theOnlyShardIsListedAndNoAddressNamesIt() {
        done("address", "create", "queue://alone");

        assertThat(done("shard", "list", "--output", "json").lines()).hasSize(1);
        assertThat(done("address", "list").lines().get(0)).doesNotContain("shard");
        assertThat(done("address", "show", "alone").lines()).noneMatch(line -> line.startsWith("shard"));
        assertThat(done("status").lines())
                .filteredOn(line -> line.startsWith("shard"))
                .singleElement()
                .asString()
                .endsWith("of 16,384 messages");
    }

    @Test
    void aConnectionIsShownWithItsLinksAndClosed() {
        try (RingtableClient client = RingtableClient.connect(broker.amqpUrl());
                Receiver receiver = client.receiver(SubscriptionOptions.queue("watched"))) {
            JsonNode link = json("link", "list", "--address", "watched");
            String connection = link.path("connection").asString();
            Run shown = done("connection", "show", connection);
            Run closed = done("connection", "close", connection);

            assertThat(link.path("role").asString()).isEqualTo("consumer");
            assertThat(shown.lines()).anyMatch(line -> line.matches("links +1"));
            assertThat(closed.out()).startsWith("closed connection " + connection);
            await().atMost(1, MINUTES)
                    .until(() -> run("connection", "show", connection).exitCode() == ExitCode.FAILED);
            assertThat(receiver.receive(Duration.ZERO)).isEmpty();
        }
    }

    @Test
    void aMessageThatIsInMemoryAloneIsListedShownExplainedAndCopied() throws Exception {
        done("address", "create", "queue://kept");
        try (RingtableClient client = RingtableClient.connect(broker.amqpUrl());
                Receiver receiver = client.receiver(SubscriptionOptions.topic("rates"));
                Publisher publisher = client.publisher("topic://rates")) {
            publisher.publishAndWait(Message.text("1.07"));
            await().atMost(1, MINUTES)
                    .until(() -> json("subscription", "list", "--volatile", "--address", "topic://rates")
                                    .path("owed")
                                    .asLong()
                            == 1);
            String id = json("subscription", "list", "--volatile", "--filter", "rates")
                    .path("id")
                    .asString();
            JsonNode message = json("message", "list", "topic://rates", "--subscription", id);
            String number = message.path("sequence").asString();
            Run shown = done("message", "show", number, "--subscription", id);
            Run explained = done("explain", number, "--subscription", id);
            done("message", "copy", number, "--subscription", id, "--to", "kept", "--property", "of=rates");
            Run deleted = run("message", "delete", number, "--subscription", id);
            Run why = Run.of("subscription", "why", "--http", broker.httpUrl().toString(), "--", id);

            assertThat(id).startsWith("-");
            assertThat(message.path("preview").asString()).isEqualTo("1.07");
            assertThat(message.path("subscription").asString()).isEqualTo(id);
            assertThat(shown.lines()).contains("place         memory");
            assertThat(explained.out()).contains("AT_CONSUMER");
            assertThat(json("message", "list", "kept", "--selector", "of = 'rates'")
                            .path("preview")
                            .asString())
                    .isEqualTo("1.07");
            assertThat(deleted.exitCode()).isEqualTo(ExitCode.FAILED);
            assertThat(deleted.err()).startsWith("RT-7211 ");
            assertThat(why.out()).startsWith("AT_CONSUMER: ");
            assertThat(receiver.receive(Duration.ofSeconds(60)).orElseThrow().text())
                    .isEqualTo("1.07");
        }
    }

    @Test
    void aPolicyCountsFromThenOn() {
        done("policy", "put", "odd.#", "deliveriesMax=1", "deadLetterQueue=odd-letters");

        JsonNode policy = json("policy", "list", "--filter", "ODD");

        assertThat(policy.path("deliveriesMax").asInt()).isEqualTo(1);
        assertThat(json("address", "list", "--filter", "odd-letters")
                        .path("kind")
                        .asString())
                .isEqualTo("QUEUE");
        done("policy", "delete", "odd.#");
        assertThat(run("policy", "list").out().strip()).isEqualTo("(none)");
    }

    /** Returns the only item of a list. */
    private static JsonNode json(String... command) {
        Run run = done(
                Stream.concat(Stream.of(command), Stream.of("--output", "json")).toArray(String[]::new));
        assertThat(run.lines()).hasSize(1);
        return JsonMapper.shared().readTree(run.out());
    }

    private static Run done(String... command) {
        Run run = run(command);
        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).isEqualTo(ExitCode.DONE);
        return run;
    }

    private static Run run(String... command) {
        return Run.of(Stream.concat(
                        Stream.of(command), Stream.of("--http", broker.httpUrl().toString()))
                .toArray(String[]::new));
    }
}
