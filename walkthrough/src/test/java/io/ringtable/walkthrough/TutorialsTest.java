package io.ringtable.walkthrough;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.store.EngineAbsent;
import io.ringtable.broker.store.postgresql.PostgresqlServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Follows the tutorials word by word. Only the ports that the pages name, and the database where they name one, are
 * replaced by free ones. The JVMs that they start live briefly.
 */
class TutorialsTest {
    private static final Path TUTORIALS = Checkout.ROOT.resolve("docs/tutorials");

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    private Checkout checkout;

    @BeforeEach
    void openCheckout() throws IOException {
        checkout = new Checkout(directory);
    }

    @AfterEach
    void closeCheckout() throws IOException {
        checkout.close();
    }

    @Test
    void theFirstMessageOutlivesARestart() throws IOException {
        follow("first-message.md");
    }

    @Test
    void rowsAndMessagesComeTogether() throws Exception {
        onDatabase();
        checkout.replace("java -jar", "java " + Checkout.BRIEF_JVM + " -jar"); // the shop's, as the broker's
        follow("exactly-once.md");
    }

    @Test
    void aDeadLetterIsSentBack() throws IOException {
        checkout.set("PATH", ClientLibraries.pathOf(ClientLibraries.python()));
        follow("dead-letters.md");
    }

    @Test
    void aSubscriptionBeginsInThePast() throws IOException {
        follow("replay.md");
    }

    @Test
    void theSecondBrokerTakesOver() throws Exception {
        onDatabase();
        follow("fail-over.md");
    }

    /** The page names the default ports, which the command takes from no environment. */
    @Test
    void theOtherNodeOfAClusterGoesOn() throws IOException {
        checkout.set("PATH", ClientLibraries.pathOf(ClientLibraries.python()));
        checkout.set("AMQP_URLS", checkout.here("amqp://localhost:5673,amqp://localhost:5672"));
        checkout.replace("ringtable cluster", checkout.here("ringtable cluster --amqp-port 5672 --http-port 8161"));
        follow("cluster.md");
    }

    /** A tutorial that no test follows would be wrong one day. */
    @Test
    void everyTutorialIsFollowed() throws IOException {
        String tests =
                Files.readString(Path.of("src/test/java", getClass().getName().replace('.', '/') + ".java"));
        try (var pages = Files.list(TUTORIALS)) {
            List<String> names = pages.map(page -> page.getFileName().toString())
                    .filter(name -> name.endsWith(".md") && !name.equals("README.md"))
                    .toList();
            assertThat(names).isNotEmpty().allSatisfy(name -> assertThat(tests).contains("follow(\"" + name + "\")"));
        }
    }

    private void onDatabase() throws SQLException {
        try {
            PostgresqlServer server = PostgresqlServer.shared();
            checkout.replace("jdbc:postgresql://localhost:5432/ringtable", server.newDatabase());
            checkout.replace("USERNAME=ringtable", "USERNAME=" + server.username());
            checkout.replace("PASSWORD=secret", "PASSWORD='" + server.password() + "'");
        } catch (EngineAbsent absent) {
            absent.failOrSkip();
        }
    }

    private void follow(String name) throws IOException {
        Map<String, Terminal> terminals = new HashMap<>();
        for (Page.Step step : Page.read(TUTORIALS.resolve(name)).steps()) {
            Terminal terminal = terminals.computeIfAbsent(step.terminal(), its -> checkout.terminal(its, ""));
            List<String> expected = checkout.here(step.expected());
            if (step.command().isEmpty()) {
                terminal.awaitMore(expected);
            } else if (step.command().equals("^C")) {
                terminal.interrupt();
            } else if (step.goesOn()) {
                terminal.begin(checkout.here(step.command()), expected);
            } else {
                terminal.run(checkout.here(step.command()), expected);
            }
        }
    }
}
