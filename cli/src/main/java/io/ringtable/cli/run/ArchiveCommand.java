package io.ringtable.cli.run;

import io.ringtable.cli.failure.CommandFailed;
import io.ringtable.cli.failure.ExitCode;
import io.ringtable.cli.process.BrokerProcess;
import io.ringtable.cli.process.Installation;
import io.ringtable.client.Message;
import io.ringtable.client.Publisher;
import io.ringtable.client.Receiver;
import io.ringtable.client.RingtableClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * Writes the archive of the broker's classes for the JVM at hand. A broker starts once on free ports with a temporary
 * store, carries one message and stops. The JVM then keeps the classes that it has loaded, as it has laid them out.
 * Every later start of the broker maps them.
 * <p>
 * Failure: an earlier archive is gone, the broker starts without one, and the error says where its log is.
 */
@Command(
        name = "archive",
        description = {
            "Writes an archive of the broker's classes for this version of Java, with which the broker starts in half"
                    + " of the time.",
            "Run it once after unpacking, and again whenever Java has been updated or the directory has moved; as the"
                    + " owner of the installation. It takes about ten seconds."
        },
        mixinStandardHelpOptions = true)
public final class ArchiveCommand implements Callable<Integer> {
    private static final Duration START_MAX = Duration.ofSeconds(120);
    private static final Duration MESSAGE_MAX = Duration.ofSeconds(60);
    private static final String QUEUE = "queue://training";

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Installation installation = Installation.find();
        if (!installation.isDistribution()) {
            throw new CommandFailed(
                    ExitCode.FAILED,
                    "RT-6030",
                    "this is a checkout: ./mvnw -DskipTests package writes the archive of its broker");
        }
        Path archive = installation.archive();
        clear(installation);
        Path directory = Files.createTempDirectory("ringtable-archive-");
        Path log = directory.resolve("broker.log");
        try (BrokerProcess broker = BrokerProcess.start(training(installation, directory), log, START_MAX)) {
            carryOneMessage(broker.amqpUrl());
        }
        if (!Files.isRegularFile(archive)) {
            throw new CommandFailed(
                    ExitCode.FAILED, "RT-6017", "the JVM left no archive at " + archive + "; the broker's log: " + log);
        }
        Files.write(installation.archiveOptions(), optionsFor(archive));
        DemoCommand.delete(directory);
        spec.commandLine()
                .getOut()
                .printf(
                        "%s: %,d KB for Java %s at %s%n",
                        archive,
                        Files.size(archive) / 1024,
                        System.getProperty("java.version"),
                        System.getProperty("java.home"));
        return ExitCode.DONE;
    }

    /**
     * Removes the old archive. An archive that no longer fits is worse than none: nobody would see that the JVM leaves
     * it out.
     */
    private static void clear(Installation installation) {
        try {
            Files.createDirectories(installation.archive().getParent());
            Files.deleteIfExists(installation.archiveOptions());
            Files.deleteIfExists(installation.archive());
        } catch (IOException e) {
            throw new CommandFailed(
                    ExitCode.FAILED,
                    "RT-6018",
                    "the archive cannot be written to " + installation.archive().getParent() + " (" + e
                            + "): run this as the owner of the installation");
        }
    }

    /**
     * Prepares a broker that sees neither configuration nor variables of the user's: it must not open the user's store.
     */
    private static ProcessBuilder training(Installation installation, Path directory) {
        ProcessBuilder builder = new ProcessBuilder(installation.archivingCommand(List.of(
                        "--ringtable.amqp.host=127.0.0.1",
                        "--ringtable.amqp.port=0",
                        "--ringtable.data-dir=" + directory.resolve("data"),
                        "--server.address=127.0.0.1",
                        "--server.port=0")))
                .directory(directory.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("RINGTABLE_") || name.startsWith("SPRING_"));
        return builder;
    }

    private static void carryOneMessage(String url) throws InterruptedException {
        try (RingtableClient client = RingtableClient.connect(url);
                Publisher publisher = client.publisher(QUEUE);
                Receiver receiver = client.receiver(QUEUE)) {
            publisher.publishAndWait(Message.text("one"));
            receiver.receive(MESSAGE_MAX)
                    .orElseThrow(() -> new CommandFailed(
                            ExitCode.FAILED,
                            "RT-6031",
                            "the broker did not deliver its own message within " + MESSAGE_MAX.toSeconds() + " s"))
                    .acknowledge();
        }
    }

    /**
     * Returns the options for a start. A JVM that the archive does not fit leaves it out and says nothing: a broker's
     * output is its own.
     */
    private static List<String> optionsFor(Path archive) {
        return List.of("\"-XX:SharedArchiveFile=" + archive + '"', "-Xlog:cds=off", "-Xlog:cds+dynamic=off");
    }
}
