package io.ringtable.cli.traffic;

import io.ringtable.cli.bridge.Bridge;
import io.ringtable.cli.bridge.BridgeEnd;
import io.ringtable.cli.bridge.BridgeFailure;
import io.ringtable.cli.bridge.BridgeTally;
import io.ringtable.cli.bridge.BridgeTask;
import io.ringtable.cli.failure.ExitCode;
import io.ringtable.cli.option.EndOptions;
import io.ringtable.cli.terminal.Passwords;
import io.ringtable.cli.terminal.Progress;
import io.ringtable.client.Address;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Moves a queue, or a durable subscription of a topic, to another broker. */
@Command(
        name = "bridge",
        description = {
            "Moves the messages of a queue, or of a durable subscription of a topic, to another AMQP 1.0 broker.",
            "Each message is moved once between Ringtable and Artemis, and from a broker with transactions to one of"
                    + " the two. After a kill of the bridge or a broker start the same command again. docs/bridge.md"
                    + " says what that needs."
        },
        mixinStandardHelpOptions = true)
public final class BridgeCommand implements Callable<Integer> {
    static final String FROM_PASSWORD = "RINGTABLE_BRIDGE_FROM_PASSWORD";
    static final String TO_PASSWORD = "RINGTABLE_BRIDGE_TO_PASSWORD";

    @Option(
            names = "--from",
            required = true,
            paramLabel = "URL",
            description = "The source, amqp://[USER@]HOST:PORT/ADDRESS or amqps://…; ADDRESS is queue://NAME,"
                    + " topic://NAME or a NAME, which is a queue's. The password comes from the environment variable"
                    + " " + FROM_PASSWORD + " or from a prompt, never from an argument.")
    private String from;

    @Option(
            names = "--to",
            required = true,
            paramLabel = "URL",
            description =
                    "The target, as --from; without an ADDRESS that of the source. The password: " + TO_PASSWORD + ".")
    private String to;

    @Option(
            names = "--durable",
            paramLabel = "NAME",
            description = "Name of the durable subscription to move; the address of --from is its topic. The bridge"
                    + " makes the subscription if it is not there.")
    private String durable;

    @Option(
            names = "--client-id",
            paramLabel = "ID",
            defaultValue = "ringtable-cli",
            description = "Client id of the durable subscription (default: ${DEFAULT-VALUE}).")
    private String clientId;

    @Option(
            names = "--from-trust",
            paramLabel = "PEM",
            description = "Certificates to trust for --from amqps:// instead of the JDK's own.")
    private Path fromTrust;

    @Option(
            names = "--to-trust",
            paramLabel = "PEM",
            description = "Certificates to trust for --to amqps:// instead of the JDK's own.")
    private Path toTrust;

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description = "Name under which messages are recognised after an interruption: the same each time the"
                    + " bridge is started again (default: the source without its user).")
    private String name;

    @Option(
            names = "--by-content",
            description = "Recognise a message without a message-id by its bytes: two of the same bytes count as one.")
    private boolean byContent;

    @Option(
            names = "--allow-duplicates",
            description = "Recognise no message: a message may be moved twice after an interruption.")
    private boolean allowDuplicates;

    @Option(
            names = "--window",
            paramLabel = "N",
            defaultValue = "500",
            description =
                    "The most messages under way (default: ${DEFAULT-VALUE}); fewer for large ones. The target has"
                            + " to remember at least so many.")
    private int window;

    @Mixin
    private EndOptions until;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws InterruptedException {
        BridgeTask task = task();
        Bridge bridge = new Bridge(task);
        long began = System.nanoTime();
        try {
            run(bridge);
            summary(task, bridge.tally(), System.nanoTime() - began);
        } catch (BridgeFailure failure) {
            if (bridge.tally().moved() > 0) {
                summary(task, bridge.tally(), System.nanoTime() - began);
            }
            throw failure;
        }
        until.checkAllCame(bridge.tally().moved());
        return ExitCode.DONE;
    }

    private void run(Bridge bridge) throws InterruptedException {
        PrintWriter err = spec.commandLine().getErr();
        long total = until.count() == Long.MAX_VALUE ? -1 : until.count();
        try (Progress bar = new Progress("bridge", total, " messages")) {
            bridge.run(new Bridge.Listener() {
                @Override
                public void progress(BridgeTally tally) {
                    bar.at(tally.moved());
                }

                @Override
                public void interrupted(String why) {
                    err.println(why + "; the bridge begins again");
                    err.flush();
                }
            });
        }
    }

    private BridgeTask task() {
        until.check();
        if (window < 1) {
            throw new ParameterException(spec.commandLine(), "--window " + window + " is below 1");
        }
        if (byContent && allowDuplicates) {
            throw new ParameterException(spec.commandLine(), "--by-content and --allow-duplicates exclude each other");
        }
        BridgeEnd source = end("--from", from, FROM_PASSWORD, fromTrust);
        if (source.address() == null) {
            throw new ParameterException(spec.commandLine(), "--from has no address: write amqp://HOST:PORT/ADDRESS");
        }
        boolean topic = source.address().kind() == Address.Kind.TOPIC;
        if (topic != (durable != null)) {
            throw new ParameterException(
                    spec.commandLine(),
                    topic
                            ? "a topic keeps nothing by itself: name its subscription with --durable"
                            : "--durable needs a topic: write topic://NAME behind the port in --from");
        }
        BridgeEnd target = end("--to", to, TO_PASSWORD, toTrust);
        if (target.address() == null) {
            target = target.address(source.address());
        }
        if (durable != null) {
            source = source.subscription(clientId, durable);
        }
        return new BridgeTask(
                source,
                target,
                name == null ? source.toString() : name,
                recognition(),
                until.count(),
                until.isFollowing() ? null : until.patience(),
                window);
    }

    private BridgeTask.Recognition recognition() {
        if (allowDuplicates) {
            return BridgeTask.Recognition.NONE;
        }
        return byContent ? BridgeTask.Recognition.BY_CONTENT : BridgeTask.Recognition.BY_ID;
    }

    private static BridgeEnd end(String option, String url, String passwordVariable, Path trusted) {
        BridgeEnd end = BridgeEnd.parse(option, url).trustedPem(trusted);
        if (end.user() == null) {
            return end;
        }
        String password = Passwords.of(end.user(), passwordVariable);
        return end.user(end.user(), () -> password);
    }

    private void summary(BridgeTask task, BridgeTally tally, long nanos) {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "%,d messages moved from %s to %s in %.2f s (%,.0f msg/s)",
                tally.moved(),
                task.from(),
                task.to(),
                nanos / 1e9,
                tally.moved() / Math.max(nanos / 1e9, 1e-9)));
        if (tally.interruptions() > 0) {
            text.append(String.format(
                    Locale.ROOT,
                    "; %,d interruptions, after which %,d messages came again and were stored once",
                    tally.interruptions(),
                    tally.repeated()));
        }
        PrintWriter out = spec.commandLine().getOut();
        out.println(text);
        out.flush();
    }
}
