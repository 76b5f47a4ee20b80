package io.ringtable.acceptance.walkthrough;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.BrokerProcess;
import io.ringtable.acceptance.harness.ClientLibraries;
import io.ringtable.acceptance.harness.Engine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.opentest4j.TestAbortedException;

/** The examples in Python, Node and Go do what the page beside each says, with one broker. */
class LanguagesTest {
    private static final Path EXAMPLES = Path.of(System.getProperty("ringtable.root", ".."), "examples")
            .toAbsolutePath()
            .normalize();
    private static final String RECONNECT = "Reconnect";

    @RegisterExtension
    static final Bench BENCH = new Bench();

    private static BrokerProcess broker;

    @BeforeAll
    static void startBroker() {
        broker = BENCH.sharedBroker(Engine.SQLITE, UnaryOperator.identity());
    }

    @Test
    void pythonDoesWhatItsPageSays() throws IOException {
        follow(python());
    }

    @Test
    void nodeDoesWhatItsPageSays() throws IOException {
        follow(node());
    }

    @Test
    void goDoesWhatItsPageSays() throws IOException {
        follow(go());
    }

    /** All languages go on through the same restart. */
    @Test
    void reconnectedPublishersHaveStoredEachMessageOnce() throws IOException {
        Map<Terminal, Page.Step> running = new HashMap<>();
        for (Language language : present()) {
            List<Page.Step> steps = language.page().section(RECONNECT);
            assertThat(steps).as("commands of %s", language).hasSize(1);
            Page.Step step = steps.get(0);
            Terminal terminal = language.terminal("reconnect");
            terminal.begin(step.command(), step.expected().subList(0, 1));
            running.put(terminal, step);
        }
        broker.kill();
        broker.start();
        running.forEach((terminal, step) -> terminal.awaitEnd(step.expected()));
    }

    private static void follow(Language language) throws IOException {
        Terminal terminal = language.terminal("all");
        for (Page.Step step : language.page().withoutSection(RECONNECT)) {
            terminal.run(step.command(), step.expected());
        }
    }

    private record Language(String name, Map<String, String> environment) {
        Page page() throws IOException {
            return Page.read(EXAMPLES.resolve(name).resolve("README.md"));
        }

        Terminal terminal(String purpose) {
            Map<String, String> all = new HashMap<>(environment);
            all.put("AMQP_URL", broker.amqpUrl());
            Path output = BENCH.directory().resolve(name + "-" + purpose + ".out");
            return BENCH.closing(new Terminal(output, EXAMPLES.resolve(name), all));
        }
    }

    private static List<Language> present() throws IOException {
        List<Language> present = new ArrayList<>();
        List<Supplied> all = List.of(LanguagesTest::python, LanguagesTest::node, LanguagesTest::go);
        for (Supplied language : all) {
            try {
                present.add(language.get());
            } catch (TestAbortedException missing) {
                // Reported as skipped by the language's own test.
            }
        }
        return present;
    }

    private interface Supplied {
        Language get() throws IOException;
    }

    private static Language python() {
        Path python = ClientLibraries.python();
        String path = System.getenv("PATH");
        return new Language(
                "python",
                Map.of(
                        "PATH",
                        python.getParent() == null ? path : python.getParent() + ":" + path,
                        "PYTHONDONTWRITEBYTECODE",
                        "1"));
    }

    private static Language node() throws IOException {
        return new Language(
                "node", Map.of("NODE_PATH", ClientLibraries.nodeModules().toString()));
    }

    private static Language go() {
        ClientLibraries.go(EXAMPLES.resolve("go"));
        return new Language("go", Map.of());
    }
}
