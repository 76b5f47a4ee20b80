package io.ringtable.acceptance.cluster;

import io.ringtable.acceptance.interop.ProcessClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.opentest4j.TestAbortedException;

/** Names the languages whose clients take part where their libraries are there. */
enum Language {
    /** On python-qpid-proton. */
    PYTHON {
        @Override
        List<String> command() {
            return ProcessClient.pythonProgram("stream.py");
        }
    },
    /** On rhea. */
    NODE {
        @Override
        List<String> command() throws IOException {
            return ProcessClient.nodeProgram("stream.js");
        }
    },
    /** On go-amqp. */
    GO {
        @Override
        List<String> command() {
            return ProcessClient.goProgram();
        }
    };

    /** The command that runs the program {@code stream} in that language. */
    abstract List<String> command() throws IOException;

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Those that this machine has; one that it lacks fails the test if {@code clients.required} names it. */
    static List<Language> installed() throws IOException {
        List<Language> installed = new ArrayList<>();
        for (Language language : values()) {
            try {
                language.command();
                installed.add(language);
            } catch (TestAbortedException missing) {
                // The test goes on without it, and says so.
            }
        }
        return installed;
    }
}
