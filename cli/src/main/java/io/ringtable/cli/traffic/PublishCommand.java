package io.ringtable.cli.traffic;

import io.ringtable.cli.failure.CommandFailed;
import io.ringtable.cli.failure.ExitCode;
import io.ringtable.cli.failure.FailureLine;
import io.ringtable.cli.option.ConnectOptions;
import io.ringtable.cli.terminal.Progress;
import io.ringtable.client.Address;
import io.ringtable.client.ClientBuilder;
import io.ringtable.client.Message;
import io.ringtable.client.Publisher;
import io.ringtable.client.RingtableClient;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Publishes each line of a file or of standard input as one text message. Many messages are under way at a time. After
 * a message that is not accepted the command reads no further, and names the line at which to go on.
 */
@Command(
        name = "publish",
        description = "Publishes each line of a file or of standard input as one text message.",
        mixinStandardHelpOptions = true)
public final class PublishCommand implements Callable<Integer> {

    @Mixin
    private ConnectOptions connect;

    @Parameters(
            index = "0",
            paramLabel = "ADDRESS",
            description = "queue://NAME or topic://NAME; a plain NAME is a queue.")
    private String address;

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "FILE",
            description = "File to read, in UTF-8, gzipped if its name ends with .gz; without FILE, or with -, standard"
                    + " input.")
    private Path file;

    @Option(
            names = "--skip",
            paramLabel = "LINES",
            defaultValue = "0",
            description = "Number of lines to skip at the start.")
    private long skip;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        Address target = Address.of(address);
        ClientBuilder builder = connect.builder();
        PublishCount count = new PublishCount();
        long began;
        long ended;
        try (LineInput input = LineInput.open(file);
                RingtableClient client = builder.connect();
                Progress progress = new Progress("publish", input.size(), " B")) {
            began = System.nanoTime();
            try (Publisher publisher = client.publisher(target)) {
                publishAll(input, publisher, count, progress);
            }
            ended = System.nanoTime();
        }
        spec.commandLine().getOut().println(summary(count.accepted(), target, ended - began));
        PublishCount.Failure failure = count.firstFailure();
        if (failure != null) {
            throw new CommandFailed(
                    FailureLine.exitCode(unwrapped(failure.cause())),
                    "RT-6005",
                    "line " + failure.line() + " was not accepted, " + count.failed() + " in all: "
                            + FailureLine.line(unwrapped(failure.cause())) + "; go on with --skip "
                            + (failure.line() - 1) + " (a message may then be published twice)");
        }
        return ExitCode.DONE;
    }

    private void publishAll(LineInput input, Publisher publisher, PublishCount count, Progress progress) {
        String line = input.next();
        while (line != null && count.firstFailure() == null) {
            long number = input.lineNumber();
            if (number > skip) {
                publisher.publish(Message.text(line)).whenComplete((done, failure) -> count.answered(number, failure));
            }
            progress.at(input.position());
            line = input.next();
        }
    }

    public static String summary(long accepted, Address target, long nanos) {
        return String.format(
                Locale.ROOT,
                "%,d messages published to %s in %.2f s (%,.0f msg/s)",
                accepted,
                target,
                nanos / 1e9,
                accepted / Math.max(nanos / 1e9, 1e-9));
    }

    private static Throwable unwrapped(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }
}
