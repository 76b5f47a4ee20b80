package io.ringtable.walkthrough;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

/** The examples in Python, Node and Go do what the page beside each says, with one broker. */
class LanguagesTest {
    private static final String RECONNECT = "Reconnect";
    private static final String BROKER = "bin/ringtable broker";

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    static Path directory;

    private static Checkout checkout;
    private static Terminal broker;

    @BeforeAll
    static void startBroker() throws IOException {
        checkout = new Checkout(directory);
        broker = checkout.terminal("broker", "");
        broker.begin(BROKER, Checkout.SERVES);
    }

    @AfterAll
    static void closeCheckout() throws IOException {
        checkout.close();
    }

    /** An example in a directory of its own, and how its library is found. */
    private enum Language {
        PYTHON {
            @Override
            void find() {
                checkout.set("PATH", ClientLibraries.pathOf(ClientLibraries.python()));
                checkout.set("PYTHONDONTWRITEBYTECODE", "1");
            }
        },
        NODE {
            @Override
            void find() throws IOException {
                checkout.set("NODE_PATH", ClientLibraries.nodeModules().toString());
            }
        },
        GO {
            @Override
            void find() {
                ClientLibraries.go();
            }
        };

        /** Skips the test, or fails it, where the library cannot be had. */
        abstract void find() throws IOException;

        private String folder() {
            return "examples/" + name().toLowerCase(Locale.ROOT);
        }

        Page page() throws IOException {
            return Page.read(Checkout.ROOT.resolve(folder()).resolve("README.md"));
        }

        Terminal terminal(String purpose) {
            return checkout.terminal(name() + "-" + purpose, folder());
        }

        void follow() throws IOException {
            find();
            Terminal terminal = terminal("all");
            for (Page.Step step : page().withoutSection(RECONNECT)) {
                terminal.run(step.command(), step.expected());
            }
        }
    }

    @Test
    void pythonDoesWhatItsPageSays() throws IOException {
        Language.PYTHON.follow();
    }

    @Test
    void nodeDoesWhatItsPageSays() throws IOException {
        Language.NODE.follow();
    }

    @Test
    void goDoesWhatItsPageSays() throws IOException {
        Language.GO.follow();
    }

    /** All languages go on through the same restart. A language that is missing is reported by its own test. */
    @Test
    void reconnectedPublishersHaveStoredEachMessageOnce() throws IOException {
        Map<Terminal, Page.Step> running = new HashMap<>();
        for (Language language : Language.values()) {
            try {
                language.find();
            } catch (TestAbortedException missing) {
                continue;
            }
            List<Page.Step> steps = language.page().section(RECONNECT);
            assertThat(steps).as("commands of %s", language).hasSize(1);
            Page.Step step = steps.get(0);
            Terminal terminal = language.terminal("reconnect");
            terminal.begin(step.command(), step.expected().subList(0, 1));
            running.put(terminal, step);
        }
        broker.interrupt();
        broker.begin(BROKER, Checkout.SERVES);
        running.forEach((terminal, step) -> terminal.awaitEnd(step.expected()));
    }
}
