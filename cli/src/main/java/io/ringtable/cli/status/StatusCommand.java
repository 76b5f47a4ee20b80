package io.ringtable.cli.status;

import io.ringtable.cli.failure.CommandFailed;
import io.ringtable.cli.failure.ExitCode;
import io.ringtable.cli.failure.FailureLine;
import io.ringtable.cli.manage.BrokerHttp;
import io.ringtable.cli.manage.ManagementFailure;
import io.ringtable.cli.option.HttpOptions;
import io.ringtable.cli.terminal.Terminal;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Shows the status of a broker, from its read-only endpoint {@code GET /status}, as a table or as JSON. */
@Command(
        name = "status",
        description = "Shows the state of a broker, its ring, its addresses and what each subscription is owed.",
        mixinStandardHelpOptions = true)
public final class StatusCommand implements Callable<Integer> {
    @Mixin
    private HttpOptions http;

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

    @Option(
            names = "--watch",
            description =
                    "Show the status anew each second until Ctrl-C: in place on a terminal, else line after line.")
    private boolean watch;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        BrokerHttp broker = http.connect();
        if (waitSeconds != null) {
            if (waitSeconds < 0) {
                throw new ParameterException(spec.commandLine(), "--wait " + waitSeconds + " is below 0");
            }
            broker.awaitReady(Duration.ofMillis(Math.round(waitSeconds * 1000)));
        }
        List<String> lines = ask(broker); // fails here if nobody answers: there is nothing to watch
        if (!watch) {
            lines.forEach(spec.commandLine().getOut()::println);
        } else if (Terminal.takesOutput() && !json) {
            try (Screen screen = new Screen(spec.commandLine().getOut())) {
                watch(broker, lines, screen::draw, failure -> screen.draw(List.of(failure)));
            }
        } else {
            watch(broker, lines, this::printLines, spec.commandLine().getErr()::println);
        }
        return ExitCode.DONE;
    }

    private List<String> ask(BrokerHttp broker) {
        String answer = broker.status();
        if (json) {
            return List.of(answer);
        }
        try {
            return StatusTable.of(JsonMapper.shared().readTree(answer));
        } catch (JacksonException e) {
            throw new CommandFailed(
                    ExitCode.FAILED, "RT-6013", http + " does not answer like a Ringtable broker: check --http");
        }
    }

    /** Shows the status until this thread is interrupted, or nobody reads any more. A broker may go and come back. */
    private void watch(BrokerHttp broker, List<String> first, Consumer<List<String>> status, Consumer<String> failure) {
        status.accept(stamped(first));
        while (!spec.commandLine().getOut().checkError()) {
            try {
                TimeUnit.SECONDS.sleep(1);
                status.accept(stamped(ask(broker)));
            } catch (CommandFailed | ManagementFailure failed) {
                if (Thread.currentThread().isInterrupted()) {
                    return;
                }
                failure.accept(Instant.now().truncatedTo(ChronoUnit.SECONDS) + " " + FailureLine.line(failed));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    /** Puts the time above the table; JSON stays as the broker has written it. */
    private List<String> stamped(List<String> lines) {
        if (json) {
            return lines;
        }
        List<String> stamped = new ArrayList<>();
        stamped.add("time       " + Instant.now().truncatedTo(ChronoUnit.SECONDS));
        stamped.addAll(lines);
        return stamped;
    }

    /** Prints a table with an empty line behind it, or a line of JSON. */
    private void printLines(List<String> lines) {
        PrintWriter out = spec.commandLine().getOut();
        lines.forEach(out::println);
        if (!json) {
            out.println();
        }
    }
}
