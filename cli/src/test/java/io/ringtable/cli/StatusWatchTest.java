package io.ringtable.cli;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.ringtable.cli.failure.ExitCode;
import io.ringtable.cli.terminal.Terminal;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Watches a status that changes; a small HTTP server stands where the broker's would. */
class StatusWatchTest {
    private static final String ESCAPE = "\u001b";

    private HttpServer server;
    private volatile int code = 200;
    private volatile String state = "ACTIVE";

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/status", exchange -> {
            byte[] body = ("{\"state\":\"" + state + "\"}").getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(code, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
        System.clearProperty(Terminal.OUTPUT_PROPERTY);
    }

    @Test
    void printsTheStatusLineAfterLineWhereThereIsNoTerminal() throws Exception {
        try (Watching watching = new Watching(new StringWriter())) {
            watching.awaitOut("state      ACTIVE");
            state = "STANDBY";
            watching.awaitOut("state      STANDBY");

            assertThat(watching.end()).isEqualTo(ExitCode.DONE);
            assertThat(watching.out()).doesNotContain(ESCAPE);
            assertThat(watching.out().lines().toList().get(0))
                    .matches("time {7}\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ");
            assertThat(watching.err()).isEmpty();
        }
    }

    @Test
    void printsALineOfJsonForEachLookEvenOnATerminal() throws Exception {
        System.setProperty(Terminal.OUTPUT_PROPERTY, "true");
        try (Watching watching = new Watching(new StringWriter(), "--json")) {
            watching.awaitOut("ACTIVE");
            state = "STANDBY";
            watching.awaitOut("STANDBY");

            assertThat(watching.end()).isEqualTo(ExitCode.DONE);
            assertThat(watching.out().lines()).allMatch(line -> line.matches("\\{\"state\":\"(ACTIVE|STANDBY)\"}"));
        }
    }

    @Test
    void goesOnWhenTheBrokerComesBack() throws Exception {
        try (Watching watching = new Watching(new StringWriter())) {
            watching.awaitOut("state      ACTIVE");
            code = 503;
            await().atMost(1, MINUTES).until(() -> watching.err().contains("RT-6013 "));
            state = "RESTARTING";
            code = 200;
            watching.awaitOut("state      RESTARTING");

            assertThat(watching.end()).isEqualTo(ExitCode.DONE);
            assertThat(watching.err().lines()).allMatch(line -> line.matches("\\S+Z RT-6013 .* answered 503: .*"));
        }
    }

    @Test
    void drawsInPlaceOnATerminalAndLeavesItAsItWas() throws Exception {
        System.setProperty(Terminal.OUTPUT_PROPERTY, "true");
        try (Watching watching = new Watching(new StringWriter())) {
            watching.awaitOut("state      ACTIVE");
            code = 503;
            watching.awaitOut("RT-6013 "); // in place too

            assertThat(watching.end()).isEqualTo(ExitCode.DONE);
            assertThat(watching.out())
                    .startsWith(ESCAPE + "[?1049h")
                    .contains(ESCAPE + "[1;1Htime       ", ESCAPE + "[2;1Hstate      ACTIVE" + ESCAPE + "[K")
                    .contains(ESCAPE + "[2;1H" + ESCAPE + "[J" + ESCAPE + "[1;1H2") // one line, the rest is cleared
                    .endsWith(ESCAPE + "[?1049l")
                    .doesNotContain("\n");
            assertThat(watching.err()).isEmpty();
        }
    }

    @Test
    void endsWhenNobodyReadsAnyMore() throws Exception {
        Writer closed = new Writer() {
            @Override
            public void write(char[] text, int offset, int length) throws IOException {
                throw new IOException("the reader of the pipe has gone");
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        try (Watching watching = new Watching(closed)) {
            assertThat(watching.exitCode.get(1, MINUTES)).isEqualTo(ExitCode.DONE);
        }
    }

    /** Runs the command on a thread of its own, until it is interrupted. */
    private final class Watching implements AutoCloseable {
        private final CompletableFuture<Integer> exitCode = new CompletableFuture<>();
        private final Writer out;
        private final StringWriter err = new StringWriter();
        private final Thread thread;

        Watching(Writer out, String... more) {
            this.out = out;
            List<String> arguments = new ArrayList<>(List.of("status", "--watch", "--http"));
            arguments.add("http://127.0.0.1:" + server.getAddress().getPort());
            arguments.addAll(List.of(more));
            String[] all = arguments.toArray(String[]::new);
            CommandLine commandLine = RingtableCommand.commandLine(all)
                    .setOut(new PrintWriter(out))
                    .setErr(new PrintWriter(err, true));
            thread = new Thread(() -> exitCode.complete(commandLine.execute(all)), "watching");
            thread.start();
        }

        void awaitOut(String text) {
            await().atMost(1, MINUTES).until(() -> out().contains(text));
        }

        String out() {
            return out.toString();
        }

        String err() {
            return err.toString();
        }

        int end() throws Exception {
            thread.interrupt();
            return exitCode.get(1, MINUTES);
        }

        @Override
        public void close() {
            thread.interrupt();
            exitCode.join();
        }
    }
}
