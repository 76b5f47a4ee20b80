package io.ringtable.acceptance.walkthrough;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.ClientLibraries;
import io.ringtable.acceptance.harness.Engine;
import io.ringtable.acceptance.harness.Ports;
import io.ringtable.acceptance.harness.ServerDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Follows the tutorials word by word, in a directory that stands for the top of a checkout. Only the ports that the
 * pages name, and the database where they name one, are replaced by free ones.
 */
class TutorialsTest {
    private static final Path ROOT =
            Path.of(System.getProperty("ringtable.root", "..")).toAbsolutePath().normalize();

    @RegisterExtension
    final Bench bench = new Bench();

    private final Map<String, String> replaced = new LinkedHashMap<>();
    private final Map<String, String> environment = new HashMap<>();
    private final Map<String, Terminal> terminals = new HashMap<>();
    private Path checkout;

    @Test
    void theFirstMessageOutlivesARestart() throws IOException {
        follow("first-message.md");
    }

    @Test
    void aDeadLetterIsSentBack() throws IOException {
        Path python = ClientLibraries.python();
        if (python.getParent() != null) {
            environment.put("PATH", python.getParent() + ":" + System.getenv("PATH"));
        }
        follow("dead-letters.md");
    }

    @Test
    void aSubscriptionBeginsInThePast() throws IOException {
        follow("replay.md");
    }

    @Test
    void theSecondBrokerTakesOver() throws IOException {
        ServerDatabase database = Engine.POSTGRESQL.database(bench);
        replaced.put("jdbc:postgresql://localhost:5432/ringtable", database.url());
        replaced.put("RINGTABLE_STORE_USERNAME=ringtable", "RINGTABLE_STORE_USERNAME=" + database.username());
        replaced.put("RINGTABLE_STORE_PASSWORD=secret", "RINGTABLE_STORE_PASSWORD='" + database.password() + "'");
        follow("fail-over.md");
    }

    /** The pages that their index lists are the pages that the tests above follow. */
    @Test
    void everyTutorialIsFollowed() throws IOException {
        String tests =
                Files.readString(Path.of("src/test/java", getClass().getName().replace('.', '/') + ".java"));
        try (var pages = Files.list(ROOT.resolve("docs/tutorials"))) {
            List<String> names = pages.map(page -> page.getFileName().toString())
                    .filter(name -> name.endsWith(".md") && !name.equals("README.md"))
                    .toList();
            assertThat(names).isNotEmpty().allSatisfy(name -> assertThat(tests).contains("follow(\"" + name + "\")"));
        }
    }

    private void follow(String name) throws IOException {
        checkout = bench.directory().resolve("checkout");
        Files.createDirectories(checkout.resolve("bin"));
        Files.createSymbolicLink(checkout.resolve("bin/ringtable"), ROOT.resolve("bin/ringtable"));
        Files.createSymbolicLink(checkout.resolve("docs"), ROOT.resolve("docs"));
        for (String port : List.of("5672", "5673", "8161", "8162")) {
            replaced.put(port, Integer.toString(Ports.free()));
        }
        // The pages leave these to the defaults.
        environment.put("RINGTABLE_AMQP_PORT", replaced.get("5672"));
        environment.put("SERVER_PORT", replaced.get("8161"));
        environment.put("AMQP_URL", "amqp://localhost:" + replaced.get("5672"));
        environment.put("RINGTABLE_CLI_URL", "amqp://localhost:" + replaced.get("5672"));
        environment.put("RINGTABLE_CLI_HTTP", "http://127.0.0.1:" + replaced.get("8161"));
        environment.put("RINGTABLE_JAVA_OPTS", "-Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1");

        for (Page.Step step :
                Page.read(ROOT.resolve("docs/tutorials").resolve(name)).steps()) {
            Terminal terminal = terminals.computeIfAbsent(step.terminal(), this::open);
            List<String> expected = step.expected().stream().map(this::withOurs).toList();
            if (step.command().isEmpty()) {
                terminal.awaitMore(expected);
            } else if (step.command().equals("^C")) {
                terminal.interrupt();
            } else if (step.goesOn()) {
                terminal.begin(withOurs(step.command()), expected);
            } else {
                terminal.run(withOurs(step.command()), expected);
            }
        }
    }

    private Terminal open(String name) {
        return bench.closing(new Terminal(bench.directory().resolve(name + ".out"), checkout, environment));
    }

    private String withOurs(String text) {
        String ours = text;
        for (Map.Entry<String, String> entry : replaced.entrySet()) {
            ours = ours.replace(entry.getKey(), entry.getValue());
        }
        return ours;
    }
}
