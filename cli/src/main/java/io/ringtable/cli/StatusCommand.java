package io.ringtable.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Shows the status of a broker, from its read-only endpoint {@code GET /status}, as a table or as JSON. */
@Command(
        name = "status",
        description = "Shows the state of a broker, its ring, its addresses and what each subscription is owed.",
        mixinStandardHelpOptions = true)
final class StatusCommand implements Callable<Integer> {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    @Option(
            names = "--http",
            paramLabel = "URL",
            defaultValue = "${env:RINGTABLE_CLI_HTTP:-http://127.0.0.1:8161}",
            description =
                    "Management address of the broker (default: ${DEFAULT-VALUE}; environment: RINGTABLE_CLI_HTTP).")
    private URI http;

    @Option(names = "--json", description = "Print the broker's answer as it is, in JSON.")
    private boolean json;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        String answer = ask(http.resolve("/status"));
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.println(answer);
        } else {
            try {
                JsonNode status = JsonMapper.shared().readTree(answer);
                StatusTable.of(status).forEach(out::println);
            } catch (JacksonException e) {
                throw new CommandFailed(
                        ExitCode.FAILED, "RT-6013", http + " does not answer like a Ringtable broker: check --http");
            }
        }
        return ExitCode.DONE;
    }

    private static String ask(URI uri) {
        try {
            HttpClient client = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
            HttpRequest request = HttpRequest.newBuilder(uri).timeout(TIMEOUT).build();
            HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() != 200) {
                throw new CommandFailed(
                        ExitCode.FAILED,
                        "RT-6013",
                        uri + " answered " + response.statusCode() + ": check --http and the broker's log");
            }
            return response.body();
        } catch (IOException | IllegalArgumentException e) {
            throw new CommandFailed(
                    ExitCode.NO_BROKER,
                    "RT-6014",
                    "no broker answers at " + uri + " (" + e.getClass().getSimpleName()
                            + "): start one, or name its server.port with --http");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailed(ExitCode.FAILED, "RT-6014", "interrupted while asking " + uri);
        }
    }
}
