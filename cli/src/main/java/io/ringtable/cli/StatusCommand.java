package io.ringtable.cli;

import java.io.PrintWriter;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
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
    @Option(
            names = "--http",
            paramLabel = "URL",
            defaultValue = "${env:RINGTABLE_CLI_HTTP:-http://127.0.0.1:8161}",
            description =
                    "Management address of the broker (default: ${DEFAULT-VALUE}; environment: RINGTABLE_CLI_HTTP).")
    private URI http;

    @Option(names = "--json", description = "Print the broker's answer as it is, in JSON.")
    private boolean json;

    @Option(
            names = "--wait",
            paramLabel = "SECONDS",
            arity = "0..1",
            fallbackValue = "60",
            description = "Wait until the broker serves its clients, at most SECONDS (default: 60); exit code 3 if it"
                    + " does not by then.")
    private Double waitSeconds;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        BrokerHttp broker = new BrokerHttp(http);
        if (waitSeconds != null) {
            if (waitSeconds < 0) {
                throw new ParameterException(spec.commandLine(), "--wait " + waitSeconds + " is below 0");
            }
            broker.awaitReady(Duration.ofMillis(Math.round(waitSeconds * 1000)));
        }
        String answer = broker.get("/status");
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
}
