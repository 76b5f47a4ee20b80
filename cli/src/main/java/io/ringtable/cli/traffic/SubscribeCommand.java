package io.ringtable.cli.traffic;

import io.ringtable.cli.failure.CommandFailed;
import io.ringtable.cli.failure.ExitCode;
import io.ringtable.cli.option.ConnectOptions;
import io.ringtable.cli.option.EndOptions;
import io.ringtable.cli.option.SinceTime;
import io.ringtable.client.Address;
import io.ringtable.client.ClientBuilder;
import io.ringtable.client.ReceivedMessage;
import io.ringtable.client.Receiver;
import io.ringtable.client.RingtableClient;
import io.ringtable.client.SubscriptionOptions;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Prints messages to standard output, one per line: its body, or all of it in JSON. The command acknowledges messages
 * once they are printed and flushed, so that the broker delivers unprinted ones again.
 */
@Command(
        name = "subscribe",
        description = "Prints messages, one per line, and acknowledges each once it is printed.",
        mixinStandardHelpOptions = true)
public final class SubscribeCommand implements Callable<Integer> {
    private static final int PREFETCH = 1000;

    /** Messages printed between two acknowledgements: half the prefetch, so that more messages arrive meanwhile. */
    private static final int BATCH = PREFETCH / 2;

    /** Longest single wait for the next message with {@code --follow}; the command then waits again. */
    private static final Duration FOLLOW_STEP = Duration.ofSeconds(10);

    @Mixin
    private ConnectOptions connect;

    @Mixin
    private EndOptions until;

    @Parameters(paramLabel = "ADDRESS", description = "queue://NAME or topic://NAME; a plain NAME is a queue.")
    private String address;

    @Option(
            names = "--durable",
            paramLabel = "NAME",
            description = "Name of a durable subscription of the topic: the broker keeps its messages while nobody is"
                    + " attached.")
    private String durable;

    @Option(
            names = "--client-id",
            paramLabel = "ID",
            defaultValue = "ringtable-cli",
            description = "Client id of the durable subscription (default: ${DEFAULT-VALUE}).")
    private String clientId;

    @Option(
            names = "--since",
            paramLabel = "TIME",
            converter = SinceTime.class,
            description = "Begin a new durable subscription in the past, with the messages that the topic has kept"
                    + " since TIME. TIME is a date such as 2026-11-21T10:00:00Z, or how long ago: 90s, 30m, 2h, 7d. A"
                    + " subscription that exists goes on where it stands.")
    private Instant since;

    @Option(
            names = "--headers",
            description = "Print each message as a line of JSON: headers, application properties and body.")
    private boolean headers;

    @Option(
            names = "--unsubscribe",
            description = "Delete the durable subscription with all messages kept for it, and end.")
    private boolean unsubscribe;

    @Spec
    private CommandSpec spec;

    private final List<ReceivedMessage> printed = new ArrayList<>();

    @Override
    public Integer call() {
        check();
        SubscriptionOptions options = options();
        ClientBuilder builder = connect.builder();
        if (durable != null) {
            builder.clientId(clientId);
        }
        try (RingtableClient client = builder.connect()) {
            if (unsubscribe) {
                client.unsubscribe(durable);
                return ExitCode.DONE;
            }
            try (Receiver receiver = client.receiver(options)) {
                long received = print(receiver);
                until.checkAllCame(received);
                return ExitCode.DONE;
            }
        }
    }

    private void check() {
        until.check();
        if (unsubscribe && durable == null) {
            throw new ParameterException(spec.commandLine(), "--unsubscribe needs --durable NAME");
        }
        if (since != null && (durable == null || unsubscribe)) {
            throw new ParameterException(
                    spec.commandLine(), "--since needs --durable NAME, and goes without --unsubscribe");
        }
    }

    private SubscriptionOptions options() {
        SubscriptionOptions options = SubscriptionOptions.to(Address.of(address));
        if (durable != null) {
            options = options.durable(durable);
        }
        if (since != null) {
            options = options.since(since);
        }
        // The client fetches no more than will be printed: the rest stays with the broker, for others.
        return options.prefetch((int) Math.max(1, Math.min(PREFETCH, until.count())));
    }

    private long print(Receiver receiver) {
        PrintWriter out = spec.commandLine().getOut();
        long received = 0;
        Duration patience = until.isFollowing() ? FOLLOW_STEP : until.patience();
        while (received < until.count()) {
            Optional<ReceivedMessage> next = receiver.receive(Duration.ZERO);
            if (next.isEmpty() || printed.size() >= BATCH) {
                acknowledge(out);
            }
            if (next.isEmpty()) {
                next = receiver.receive(patience);
            }
            if (next.isEmpty()) {
                if (until.isFollowing()) {
                    continue;
                }
                break;
            }
            out.write(headers ? MessageJson.of(next.get()) : body(next.get()));
            out.write('\n');
            printed.add(next.get());
            received++;
        }
        acknowledge(out);
        return received;
    }

    /** Returns the body as text: lists, maps and numbers of other AMQP clients as Java writes them. */
    private static String body(ReceivedMessage message) {
        Object value = message.value();
        return value == null || value instanceof byte[] || value instanceof String
                ? message.text()
                : String.valueOf(value);
    }

    private void acknowledge(PrintWriter out) {
        if (out.checkError()) { // flushes; true once the reader of a pipe has gone
            throw new CommandFailed(
                    ExitCode.FAILED,
                    "RT-6007",
                    "standard output is closed: " + printed.size() + " unacknowledged messages will come again");
        }
        printed.forEach(ReceivedMessage::acknowledge);
        printed.clear();
    }
}
