package io.ringtable.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.cli.terminal.Progress;
import io.ringtable.cli.terminal.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that long work shows how far it is on a terminal, and leaves every other standard error alone. */
class ProgressTest {
    private final ByteArrayOutputStream drawn = new ByteArrayOutputStream();
    private final PrintStream err = System.err;

    @BeforeEach
    void listen() {
        System.setErr(new PrintStream(drawn, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void stop() {
        System.setErr(err);
        System.clearProperty(Terminal.PROPERTY);
    }

    private String drawn() {
        return drawn.toString(StandardCharsets.UTF_8);
    }

    private static void work() {
        try (Progress progress = new Progress("backup", 8, " MB")) {
            progress.at(3);
            progress.at(8);
        }
    }

    @Test
    void drawsABarOnATerminal() {
        System.setProperty(Terminal.PROPERTY, "true");
        work();
        assertThat(drawn()).contains("backup", "100%", "8/8 MB");
    }

    @Test
    void drawsNothingElsewhere() {
        work();
        assertThat(drawn()).isEmpty();
    }

    @Test
    void showsHowFarAJobOfTheBrokerIs() throws Exception {
        System.setProperty(Terminal.PROPERTY, "true");
        String job = "{\"id\":7,\"action\":\"REDRIVE\",\"from\":\"DLQ\",\"state\":\"%s\",\"done\":%d,\"failed\":0}";
        try (ScriptedBroker broker = new ScriptedBroker()) {
            broker.on("GET /api/v1/addresses/DLQ", 200, "{\"name\":\"DLQ\",\"messages\":5}")
                    .on("POST /api/v1/jobs", 202, job.formatted("RUNNING", 0))
                    .on("GET /api/v1/jobs/7", 200, job.formatted("RUNNING", 2))
                    .on("GET /api/v1/jobs/7", 200, job.formatted("DONE", 5));

            Run run = Run.of("deadletter", "redrive", "--http", broker.url());

            assertThat(run.out()).contains("5 messages done");
            assertThat(drawn()).contains("redrive", "5/5 msg");
        }
    }
}
