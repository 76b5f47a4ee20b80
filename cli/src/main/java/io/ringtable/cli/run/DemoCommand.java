package io.ringtable.cli.run;

import io.ringtable.cli.failure.CommandFailed;
import io.ringtable.cli.failure.ExitCode;
import io.ringtable.cli.failure.FailureLine;
import io.ringtable.cli.process.BrokerProcess;
import io.ringtable.cli.process.Installation;
import io.ringtable.cli.terminal.Progress;
import io.ringtable.cli.traffic.LineInput;
import io.ringtable.cli.traffic.PublishCommand;
import io.ringtable.cli.traffic.PublishCount;
import io.ringtable.client.Address;
import io.ringtable.client.Message;
import io.ringtable.client.Publisher;
import io.ringtable.client.RingtableClient;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Shows a broker at work with one command. The demonstration starts a broker on free ports with a temporary store and
 * publishes real flights to a topic. Three durable subscribers each receive all of them.
 */
@Command(
        name = "demo",
        description = "Starts a broker on free ports with a temporary store, publishes 10,000 flights to three durable"
                + " subscribers, prints what each received, and stops everything.",
        mixinStandardHelpOptions = true)
public final class DemoCommand implements Callable<Integer> {
    /** Names the application property with the number of the row, by which subscribers check the order. */
    static final String ROW = "row";

    private static final String FLIGHTS = "flights-sample.csv.gz";
    private static final Address TOPIC = Address.topic("ringtable.demo.flights");
    private static final List<String> SUBSCRIBERS = List.of("dashboard", "billing", "archive");
    private static final Duration START_MAX = Duration.ofSeconds(90);
    private static final Duration DELIVERY_MAX = Duration.ofSeconds(60);

    @Parameters(
            arity = "0..*",
            paramLabel = "--PROPERTY=VALUE",
            description = "Properties for the broker, such as --ringtable.store.url=jdbc:postgresql://host/db.")
    private List<String> properties = List.of();

    @Spec
    private CommandSpec spec;

    private PrintWriter out;

    @Override
    public Integer call() throws IOException, InterruptedException {
        out = spec.commandLine().getOut();
        List<String> flights = flights();
        Path directory = Files.createTempDirectory("ringtable-demo-");
        say("Starting a broker on free ports with its store in %s", directory);
        // The directory stays after a failure: the broker's log is in it.
        try (BrokerProcess broker = BrokerProcess.start(
                Installation.find().brokerCommand(arguments(directory)), directory.resolve("broker.log"), START_MAX)) {
            say("The broker runs (process %d): %s and %s", broker.pid(), broker.amqpUrl(), broker.httpUrl());
            publishAndReceive(broker.amqpUrl(), flights);
        }
        delete(directory);
        say("The broker is stopped and the store removed.");
        sayWhatNext();
        return ExitCode.DONE;
    }

    private static List<String> flights() {
        List<String> rows = new ArrayList<>();
        try (LineInput input = LineInput.ofResource(DemoCommand.class, FLIGHTS)) {
            input.next(); // the names of the columns
            for (String row = input.next(); row != null; row = input.next()) {
                rows.add(row);
            }
        }
        return rows;
    }

    private List<String> arguments(Path directory) {
        List<String> arguments = new ArrayList<>();
        arguments.add("--ringtable.amqp.host=127.0.0.1");
        arguments.add("--ringtable.amqp.port=0");
        arguments.add("--ringtable.data-dir=" + directory.resolve("data"));
        arguments.add("--server.address=127.0.0.1");
        arguments.add("--server.port=0");
        arguments.addAll(properties);
        return arguments;
    }

    private void publishAndReceive(String url, List<String> flights) throws InterruptedException {
        List<DemoSubscriber> subscribers = new ArrayList<>();
        try {
            for (String name : SUBSCRIBERS) {
                subscribers.add(new DemoSubscriber(url, TOPIC, name, flights.size()));
            }
            say("Publishing %,d flights to %s for %d durable subscribers", flights.size(), TOPIC, subscribers.size());
            long began = System.nanoTime();
            publish(url, flights);
            say(
                    "%s, each stored durably before it was accepted",
                    PublishCommand.summary(flights.size(), TOPIC, System.nanoTime() - began));
            await(subscribers, flights.size());
            say("");
            say("%-12s %10s %12s   %s", "subscriber", "messages", "msg/s", "order");
            for (DemoSubscriber subscriber : subscribers) {
                say(
                        "%-12s %,10d %,12.0f   %s",
                        subscriber.name(),
                        subscriber.received(),
                        subscriber.ratePerSecond(began),
                        subscriber.isInOrder() ? "as published" : "NOT AS PUBLISHED");
            }
            say("");
            check(subscribers, flights.size());
        } finally {
            subscribers.forEach(DemoSubscriber::close);
        }
    }

    private static void publish(String url, List<String> flights) {
        PublishCount count = new PublishCount();
        try (RingtableClient client = RingtableClient.builder()
                        .uri(url)
                        .name("demo-publisher")
                        .connect();
                Progress progress = new Progress("publish", flights.size(), " msg")) {
            try (Publisher publisher = client.publisher(TOPIC)) {
                for (int row = 0; row < flights.size(); row++) {
                    int number = row;
                    publisher
                            .publish(Message.builder()
                                    .text(flights.get(row))
                                    .property(ROW, row)
                                    .build())
                            .whenComplete((done, failure) -> count.answered(number, failure));
                    progress.at(row + 1L);
                }
            }
        }
        if (count.firstFailure() != null) {
            throw new CommandFailed(
                    ExitCode.FAILED,
                    "RT-6005",
                    "row " + count.firstFailure().line() + " was not accepted: "
                            + FailureLine.line(count.firstFailure().cause()));
        }
    }

    private static void await(List<DemoSubscriber> subscribers, int expected) throws InterruptedException {
        long deadline = System.nanoTime() + DELIVERY_MAX.toNanos();
        for (DemoSubscriber subscriber : subscribers) {
            if (!subscriber.done().await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                throw new CommandFailed(
                        ExitCode.FAILED,
                        "RT-6010",
                        "subscriber '" + subscriber.name() + "' has " + subscriber.received() + " of " + expected
                                + " messages after " + DELIVERY_MAX.toSeconds() + " s");
            }
        }
    }

    private static void check(List<DemoSubscriber> subscribers, int expected) {
        for (DemoSubscriber subscriber : subscribers) {
            if (subscriber.received() != expected || !subscriber.isInOrder()) {
                throw new CommandFailed(
                        ExitCode.FAILED,
                        "RT-6010",
                        "subscriber '" + subscriber.name() + "' received " + subscriber.received() + " messages, "
                                + expected + " were published, in order: " + subscriber.isInOrder());
            }
        }
    }

    private void sayWhatNext() {
        say("");
        say("What to try next:");
        say("  bin/ringtable broker                                   # a broker that keeps its messages in ./data");
        say("  printf 'one\\ntwo\\n' | bin/ringtable publish queue://orders   # in another terminal");
        say("  bin/ringtable subscribe queue://orders                 # prints them and acknowledges");
    }

    private void say(String format, Object... values) {
        out.println(String.format(Locale.ROOT, format, values));
    }

    static void delete(Path directory) {
        try (Stream<Path> walk = Files.walk(directory)) {
            for (Path path : walk.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
