package io.ringtable.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.cli.failure.ExitCode;
import io.ringtable.cli.process.BrokerProcess;
import io.ringtable.client.Message;
import io.ringtable.client.Publisher;
import io.ringtable.client.Receiver;
import io.ringtable.client.RingtableClient;
import io.ringtable.client.SubscriptionOptions;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Runs the commands against the broker's jar in a process of its own. */
class CommandsTest {
    @TempDir
    static Path directory;

    private static BrokerProcess broker;

    @BeforeAll
    static void startBroker() {
        broker = PackagedBroker.start(
                directory,
                "--ringtable.dispatch.addresses[0].match=kept.#",
                "--ringtable.dispatch.addresses[0].retention-age=1h");
    }

    @AfterAll
    static void stopBroker() {
        PackagedBroker.stop(broker);
    }

    @Test
    void whatIsPublishedLineByLineIsPrintedLineByLine() throws Exception {
        List<String> lines =
                IntStream.range(0, 2_500).mapToObj(i -> "line " + i).toList();
        Path file = Files.write(directory.resolve("lines"), lines);

        Run publish = Run.of("publish", "queue://lines", file.toString(), "--url", broker.amqpUrl());
        Run subscribe = Run.of("subscribe", "lines", "--count", "2500", "--wait", "20", "--url", broker.amqpUrl());

        assertThat(publish.err()).isEmpty();
        assertThat(publish.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(publish.out()).startsWith("2,500 messages published to queue://lines in ");
        assertThat(subscribe.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(subscribe.lines()).isEqualTo(lines);
    }

    @Test
    void whatWasNotAskedForStaysWithTheBroker() throws Exception {
        Path file = Files.write(directory.resolve("three"), List.of("a", "b", "c"));
        Run.of("publish", "queue://three", file.toString(), "--skip", "1", "--url", broker.amqpUrl());

        Run first = Run.of("subscribe", "three", "--count", "1", "--wait", "20", "--url", broker.amqpUrl());
        Run second = Run.of("subscribe", "three", "--count", "2", "--wait", "1", "--url", broker.amqpUrl());

        assertThat(first.lines()).containsExactly("b");
        assertThat(second.lines()).containsExactly("c");
        assertThat(second.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(second.err()).startsWith("RT-6006 1 of 2 messages came");
    }

    @Test
    void aDurableSubscriptionKeepsWhatIsPublishedMeanwhileUntilItIsDeleted() throws Exception {
        Path file = Files.write(directory.resolve("news"), List.of("one", "two"));
        String[] durable = {"subscribe", "topic://news", "--durable", "paper", "--url", broker.amqpUrl()};

        assertThat(Run.of(with(durable, "--count", "0")).exitCode()).isEqualTo(ExitCode.DONE);
        Run.of("publish", "topic://news", file.toString(), "--url", broker.amqpUrl());
        Run status = Run.of("status", "--http", broker.httpUrl().toString());
        Run received = Run.of(with(durable, "--count", "2", "--wait", "20"));
        Run deleted = Run.of(with(durable, "--unsubscribe"));
        Run again = Run.of(with(durable, "--unsubscribe"));

        assertThat(status.lines()).anyMatch(line -> line.matches("news +topic +ringtable-cli:paper +2 +0 .*"));
        assertThat(received.lines()).containsExactly("one", "two");
        assertThat(deleted.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(again.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(again.err()).startsWith("RT-5020 ").contains("amqp:not-found");
    }

    @Test
    void aDurableSubscriptionBeginsInThePastWhereTheTopicKeepsItsMessages() throws Exception {
        Path file = Files.write(directory.resolve("kept"), List.of("one", "two"));
        String[] past = {
            "subscribe", "--durable", "all", "--since", "30m", "--count", "2", "--wait", "20", "--url", broker.amqpUrl()
        };
        Run.of("publish", "topic://kept.prices", file.toString(), "--url", broker.amqpUrl());
        Run.of("publish", "topic://fleeting", file.toString(), "--url", broker.amqpUrl());

        Run all = Run.of(with(past, "topic://kept.prices"));
        Run none = Run.of(
                "subscribe",
                "topic://kept.prices",
                "--durable",
                "none",
                "--since",
                "0s",
                "--wait",
                "0",
                "--url",
                broker.amqpUrl());
        Run refused = Run.of(with(past, "topic://fleeting"));

        assertThat(all.err()).isEmpty();
        assertThat(all.lines()).containsExactly("one", "two");
        assertThat(none.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(none.out()).isEmpty();
        assertThat(refused.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(refused.err()).contains("RT-2027");
    }

    @Test
    void headersAndPropertiesAreShownOnRequestInALineOfJson() throws Exception {
        try (RingtableClient client = RingtableClient.connect(broker.amqpUrl());
                Publisher publisher = client.publisher("queue://headers")) {
            publisher.publishAndWait(Message.builder()
                    .text("two\nlines")
                    .messageId("m-1")
                    .correlationId("c-1")
                    .subject("flight")
                    .replyTo("answers")
                    .groupId("LIS")
                    .priority(7)
                    .property("country", "PT")
                    .property("seats", 180)
                    .property("delayed", true)
                    .build());
            publisher.publishAndWait(Message.bytes(new byte[] {(byte) 0xff, 0}));
            publisher.publishAndWait(Message.bytes("grüß".getBytes(StandardCharsets.UTF_8)));
        }

        Run run =
                Run.of("subscribe", "headers", "--headers", "--count", "3", "--wait", "20", "--url", broker.amqpUrl());

        assertThat(run.err()).isEmpty();
        List<JsonNode> messages =
                run.lines().stream().map(JsonMapper.shared()::readTree).toList();
        assertThat(run.lines().get(0))
                .startsWith("{\"id\":\"m-1\",\"correlationId\":\"c-1\",\"subject\":\"flight\",\"replyTo\":\"")
                .contains(
                        "\"group\":\"LIS\"",
                        "\"priority\":7,\"durable\":true,\"deliveryCount\":1,\"redelivered\":false")
                .endsWith(
                        "\"properties\":{\"country\":\"PT\",\"seats\":180,\"delayed\":true},\"body\":\"two\\nlines\"}")
                .doesNotContain("deadLetter");
        assertThat(messages.get(1).path("bodyBase64").asString()).isEqualTo("/wA=");
        assertThat(messages.get(1).has("body")).isFalse();
        assertThat(messages.get(2).path("body").asString()).isEqualTo("grüß");
    }

    @Test
    void aDeadLetterShowsItsReasonInJson() throws Exception {
        try (RingtableClient client = RingtableClient.connect(broker.amqpUrl());
                Publisher publisher = client.publisher("queue://refused");
                Receiver receiver = client.receiver(SubscriptionOptions.queue("refused"))) {
            publisher.publishAndWait(Message.text("odd"));
            receiver.receive(Duration.ofSeconds(60)).orElseThrow().reject("of no use");
        }

        Run run = Run.of("subscribe", "DLQ", "--headers", "--count", "1", "--wait", "20", "--url", broker.amqpUrl());

        assertThat(run.err()).isEmpty();
        JsonNode letter = JsonMapper.shared().readTree(run.out());
        assertThat(letter.path("body").asString()).isEqualTo("odd");
        assertThat(letter.path("deadLetter").path("address").asString()).isEqualTo("refused");
        assertThat(letter.path("deadLetter").path("reason").asString()).contains("of no use");
        assertThat(letter.path("deadLetter").has("subscription")).isFalse();
    }

    @Test
    void anAddressIsDeletedUnlessItIsUsedOrByForce() throws Exception {
        Path file = Files.write(directory.resolve("doomed"), List.of("one"));
        String[] delete = {"delete", "queue://doomed", "--url", broker.amqpUrl()};
        Run.of("publish", "queue://doomed", file.toString(), "--url", broker.amqpUrl());

        Run refused = Run.of(delete);
        Run forced = Run.of(with(delete, "--force"));
        Run again = Run.of(with(delete, "--force"));
        Run status = Run.of("status", "--http", broker.httpUrl().toString());

        assertThat(refused.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(refused.err())
                .startsWith("RT-5020 ")
                .contains("amqp:resource-locked", "RT-2030", "messages owed: 1");
        assertThat(forced.out()).startsWith("deleted queue://doomed");
        assertThat(forced.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(again.err()).startsWith("RT-5020 ").contains("amqp:not-found", "RT-4067");
        assertThat(status.lines()).noneMatch(line -> line.startsWith("doomed"));
    }

    @Test
    void addressesAreCreatedListedShownAndDeletedOverHttp() throws Exception {
        String[] list = {"address", "list", "--filter", "OVER.http"};

        Run queue = overHttp("address", "create", "queue://over.http/a b");
        Run topic = overHttp("address", "create", "topic://over.http");
        Run same = overHttp("address", "create", "topic://over.http");
        Run again = overHttp("address", "create", "queue://over.http");
        Run page = overHttp(with(list, "--limit", "1"));
        Run shown = overHttp("address", "show", "queue://over.http/a b", "--output", "json");
        Run topics = overHttp(with(list, "--kind", "topic", "--output", "json"));
        Run otherKind = overHttp("address", "delete", "queue://over.http");
        Run deleted = overHttp("address", "delete", "over.http/a b");
        Run rest = overHttp(list);

        assertThat(queue.out()).isEqualTo("created queue://over.http/a b" + System.lineSeparator());
        assertThat(topic.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(topic.out()).startsWith("created topic://over.http");
        assertThat(same.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(same.out()).startsWith("topic://over.http exists already");
        assertThat(again.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(again.err()).startsWith("RT-2011 ");
        assertThat(page.lines()).hasSize(2);
        assertThat(page.lines().get(1)).matches("over\\.http  TOPIC +0 +0 .*");
        assertThat(page.err()).contains("more than 1");
        assertThat(JsonMapper.shared().readTree(shown.out()).path("name").asString())
                .isEqualTo("over.http/a b");
        assertThat(topics.lines()).hasSize(1);
        assertThat(otherKind.err()).startsWith("RT-6046 ");
        assertThat(deleted.out()).startsWith("deleted over.http/a b");
        assertThat(rest.lines()).hasSize(2);
    }

    @Test
    void subscriptionsAreListedAndDeletedOverHttp() throws Exception {
        Path file = Files.write(directory.resolve("weekly"), List.of("one", "two"));
        String[] durable = {"subscribe", "topic://weekly", "--durable", "reader", "--url", broker.amqpUrl()};
        Run.of(with(durable, "--count", "0"));
        Run.of("publish", "topic://weekly", file.toString(), "--url", broker.amqpUrl());

        Run table = overHttp("subscription", "list", "--address", "topic://weekly");
        Run json = overHttp("subscription", "list", "--filter", "READER", "--output", "json");
        JsonNode subscription = JsonMapper.shared().readTree(json.out());
        String id = subscription.path("id").asString();
        Run shown = overHttp("subscription", "show", id);
        Run deleted = overHttp("subscription", "delete", id);
        Run again = overHttp("subscription", "delete", id);

        assertThat(table.lines()).hasSize(2);
        assertThat(table.lines().get(1)).matches(" *" + id + "  weekly +ringtable-cli  reader +.* 2 .*");
        assertThat(shown.lines()).anyMatch(line -> line.matches("owed +2"));
        assertThat(deleted.out()).startsWith("deleted subscription " + id);
        assertThat(again.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(again.err()).matches("RT-77\\d\\d .*\\R");
    }

    @Test
    void aStoreIsBackedUpWhileItsBrokerRunsAndRestoredElsewhere() throws Exception {
        Path file = Files.write(directory.resolve("kept"), List.of("one"));
        String data = directory.resolve("data").toString();
        String backup = directory.resolve("backup.db").toString();
        String elsewhere = directory.resolve("elsewhere").toString();
        Run.of("publish", "queue://kept", file.toString(), "--url", broker.amqpUrl());

        Run made = Run.of("backup", "--data-dir", data, backup);
        Run again = Run.of("backup", "--data-dir", data, backup);
        Run inUse = Run.of("restore", "--data-dir", data, "--move-aside", backup);
        Run restored = Run.of("restore", "--store", elsewhere + "/ringtable.db", backup);
        Run nowhere = Run.of("backup", "--data-dir", elsewhere + "/no", backup + "2");

        assertThat(made.err()).isEmpty();
        assertThat(made.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(made.out())
                .matches(Pattern.quote(backup) + ": [0-9,]+ bytes, checked, with everything that was"
                        + " accepted by [-0-9T:.]+Z \\([0-9.]+ s\\)\\R");
        assertThat(again.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(again.err()).matches("RT-3040 .*backup.db' exists.*\\R");
        assertThat(inUse.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(inUse.err()).startsWith("RT-3024 ").contains("in use by process " + broker.pid());
        assertThat(restored.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(restored.out()).contains("elsewhere/ringtable.db: ", "under an epoch of its own");
        assertThat(nowhere.err()).startsWith("RT-3048 ");
    }

    @Test
    void statusIsATableForPeopleAndJsonForScripts() {
        Run table = Run.of("status", "--http", broker.httpUrl().toString());
        Run json = Run.of("status", "--json", "--http", broker.httpUrl().toString());

        assertThat(table.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(table.out()).contains("state      ACTIVE", "store      SQLite", "shard 0    epoch ");
        List<String> rows = table.lines().stream()
                .filter(line -> line.matches("(address|DLQ) .*"))
                .toList();
        assertThat(rows).hasSize(2);
        assertThat(rows.get(1)).hasSameSizeAs(rows.get(0)); // numbers end below the end of their heading
        assertThat(json.out()).startsWith("{\"version\":").contains("\"state\":\"ACTIVE\"");
    }

    @Test
    void theDemonstrationShowsThreeSubscribersWithEveryFlight() {
        Run demo = Run.of("demo");

        assertThat(demo.err()).isEmpty();
        assertThat(demo.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(demo.lines().stream().filter(line -> line.matches("\\w+ +10,000 .* as published")))
                .hasSize(3);
        assertThat(demo.lines().stream().filter(line -> line.startsWith("  ") && line.contains("bin/ringtable ")))
                .hasSize(3);
    }

    @Test
    void theDemonstrationSaysWhyItsBrokerDoesNotStart() {
        Run demo = Run.of("demo", "--ringtable.amqp.prot=1");

        assertThat(demo.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(demo.err()).startsWith("RT-6009 ").contains("RT-1001 unknown property ringtable.amqp.prot");
    }

    @Test
    void aScriptWaitsUntilTheBrokerIsReady() {
        Run ready = Run.of("status", "--wait", "--http", broker.httpUrl().toString());

        assertThat(ready.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(ready.out()).contains("state      ACTIVE");
    }

    @Test
    void aBridgeMovesAQueueInItsOrderAndEndsAtTheCount() throws Exception {
        List<String> lines = IntStream.range(0, 1_200).mapToObj(i -> "m" + i).toList();
        Path file = Files.write(directory.resolve("moved"), lines);
        String[] bridge = {"bridge", "--from", broker.amqpUrl() + "/here", "--to", broker.amqpUrl() + "/queue://there"};
        Run.of("publish", "queue://here", file.toString(), "--url", broker.amqpUrl());

        Run first = Run.of(with(bridge, "--count", "700", "--wait", "20"));
        Run rest = Run.of(with(bridge, "--count", "501", "--wait", "0.5"));
        Run there = Run.of("subscribe", "there", "--count", "1200", "--wait", "20", "--url", broker.amqpUrl());

        assertThat(first.err()).isEmpty();
        assertThat(first.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(first.out()).startsWith("700 messages moved from " + broker.amqpUrl() + "/queue://here to ");
        assertThat(rest.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(rest.out()).startsWith("500 messages moved from ");
        assertThat(rest.err()).startsWith("RT-6006 500 of 501 messages came");
        assertThat(there.lines()).isEqualTo(lines);
    }

    @Test
    void aBridgeRefusesAWindowThatItsTargetCannotRemember() {
        Run run = Run.of(
                "bridge", "--from", broker.amqpUrl() + "/here", "--to", broker.amqpUrl() + "/x", "--window", "2001");

        assertThat(run.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(run.err()).startsWith("RT-6029 ").contains("the last 2000 ids", "2001 messages");
    }

    @Test
    void aBridgeMovesADurableSubscriptionAndLeavesItThere() throws Exception {
        Path file = Files.write(directory.resolve("issues"), List.of("one", "two"));
        String[] bridge = {
            "bridge", "--from", broker.amqpUrl() + "/topic://papers", "--durable", "d", "--wait", "0.5", "--to"
        };

        Run made = Run.of(with(bridge, broker.amqpUrl() + "/papers-here"));
        Run.of("publish", "topic://papers", file.toString(), "--url", broker.amqpUrl());
        Run moved = Run.of(with(bridge, broker.amqpUrl() + "/papers-here"));
        Run here = Run.of("subscribe", "papers-here", "--count", "2", "--wait", "20", "--url", broker.amqpUrl());
        Run deleted =
                Run.of("subscribe", "topic://papers", "--durable", "d", "--unsubscribe", "--url", broker.amqpUrl());

        assertThat(made.out()).startsWith("0 messages moved");
        assertThat(moved.out()).startsWith("2 messages moved");
        assertThat(here.lines()).containsExactly("one", "two");
        assertThat(deleted.exitCode()).isEqualTo(ExitCode.DONE);
    }

    private static Run overHttp(String... command) {
        return Run.of(with(command, "--http", broker.httpUrl().toString()));
    }

    private static String[] with(String[] some, String... more) {
        return Stream.concat(Stream.of(some), Stream.of(more)).toArray(String[]::new);
    }
}
