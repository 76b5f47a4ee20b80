package io.ringtable.cli.run;

import io.ringtable.cli.failure.CommandFailed;
import io.ringtable.cli.failure.ExitCode;
import io.ringtable.cli.process.BrokerProcess;
import io.ringtable.cli.process.Installation;
import io.ringtable.cli.process.TrialDatabase;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Runs several brokers on this machine as one cluster, for a trial. Each is a process of its own with its share of the
 * shards. When one of them ends, the others take its shards. When this process ends, all of them do.
 * <p>
 * Thread: the command's waits; a hook of the JVM stops the nodes before their database.
 */
@Command(
        name = "cluster",
        description = {
            "Runs a cluster on this machine until it is interrupted, for a trial: several brokers that share shards.",
            "In a checkout the database is a PostgreSQL server of its own; elsewhere --url names one."
        },
        mixinStandardHelpOptions = true)
public final class ClusterCommand implements Callable<Integer> {
    private static final int NODES_MAX = 16;
    private static final int SHARDS_MAX = 64;
    private static final int PORT_MAX = 65_535;
    private static final Pattern PROPERTY = Pattern.compile("--[^=]*\\.[^=]*=.*");
    private static final String HOST = "127.0.0.1";
    private static final String LOCK = "cluster.lock";
    private static final Duration START_MAX = Duration.ofSeconds(120);

    @Option(names = "--nodes", paramLabel = "N", defaultValue = "3", description = "Brokers, 1 to 16 (default: 3).")
    private int nodes;

    @Option(
            names = "--shards",
            paramLabel = "N",
            defaultValue = "6",
            description = "Shards that they share, 1 to 64 (default: 6).")
    private int shards;

    @Option(
            names = "--url",
            paramLabel = "JDBC_URL",
            description = "The database of the cluster, such as jdbc:postgresql://host/db. Its user is"
                    + " --ringtable.store.username, its password RINGTABLE_STORE_PASSWORD in the environment.")
    private String url;

    @Option(
            names = "--data",
            paramLabel = "DIRECTORY",
            description = "Keeps what is stored, and the logs, for the next start. Without it all of it lies in a"
                    + " temporary directory and goes with the cluster.")
    private Path data;

    @Option(
            names = "--amqp-port",
            paramLabel = "PORT",
            defaultValue = "5672",
            description = "AMQP port of the first node, the others follow (default: 5672; 0: any free ones).")
    private int amqpPort;

    @Option(
            names = "--http-port",
            paramLabel = "PORT",
            defaultValue = "8161",
            description = "HTTP port of the first node, the others follow (default: 8161; 0: any free ones).")
    private int httpPort;

    @Parameters(
            arity = "0..*",
            paramLabel = "--PROPERTY=VALUE",
            description = "Properties for each broker, such as --ringtable.lease=2s.")
    private List<String> properties = List.of();

    @Spec
    private CommandSpec spec;

    /** The database first, if it is ours, since it ends last. */
    private final Deque<AutoCloseable> parts = new ArrayDeque<>(); // guarded by itself

    private PrintWriter out;
    private boolean stopping; // guarded by parts
    private volatile boolean failed; // written by the command, read by the hook

    @Override
    public Integer call() throws IOException {
        checkOptions();
        out = spec.commandLine().getOut();
        Path directory = data == null
                ? Files.createTempDirectory("ringtable-cluster-")
                : Files.createDirectories(data).toAbsolutePath();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(directory), "stop-cluster"));
        try {
            lock(directory);
            List<BrokerProcess> brokers = start(directory);
            sayWhatNext(brokers);
            awaitEnd(brokers);
            throw new CommandFailed(ExitCode.FAILED, "RT-6054", "all nodes have ended: their logs say why");
        } catch (CommandFailed | IOException e) {
            if (isStopping()) {
                return ExitCode.DONE; // as nothing failed by itself
            }
            failed = true;
            throw e;
        }
    }

    private void checkOptions() {
        check(nodes >= 1 && nodes <= NODES_MAX, "--nodes=" + nodes + " is not 1 to " + NODES_MAX);
        check(shards >= 1 && shards <= SHARDS_MAX, "--shards=" + shards + " is not 1 to " + SHARDS_MAX);
        for (String property : properties) {
            check(PROPERTY.matcher(property).matches(), property + " is neither an option nor a property --NAME=VALUE");
        }
        checkPorts("--amqp-port", amqpPort);
        checkPorts("--http-port", httpPort);
    }

    private void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new ParameterException(spec.commandLine(), otherwise);
        }
    }

    private void checkPorts(String option, int first) {
        check(
                first >= 0 && first <= PORT_MAX - nodes + 1,
                option + "=" + first + " is not 0 to " + (PORT_MAX - nodes + 1) + ", as each node has one port more");
        for (int node = 1; first != 0 && node <= nodes; node++) {
            try (ServerSocket socket = new ServerSocket()) {
                socket.bind(new InetSocketAddress(HOST, port(first, node)));
            } catch (IOException e) {
                throw new CommandFailed(
                        ExitCode.FAILED,
                        "RT-6056",
                        "port " + port(first, node) + " of node " + node + " is not free (" + e.getMessage()
                                + "): stop what listens there, or choose others with " + option);
            }
        }
    }

    /** Takes a lock that ends with this process, however it ends. */
    private static void lock(Path directory) throws IOException {
        FileChannel file =
                FileChannel.open(directory.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (file.tryLock() == null) {
            throw new CommandFailed(
                    ExitCode.FAILED,
                    "RT-6057",
                    "another cluster runs on " + directory + ": stop it, or name another directory with --data");
        }
    }

    private List<BrokerProcess> start(Path directory) throws IOException {
        String database = url;
        List<String> login = List.of();
        if (url == null) {
            say("Starting a PostgreSQL server with its data in %s", directory);
            TrialDatabase own = begin(() -> TrialDatabase.launch(directory));
            database = own.awaitReady();
            login = List.of("--ringtable.store.username=" + own.user());
        }
        List<BrokerProcess> brokers = new ArrayList<>();
        for (int node = 1; node <= nodes; node++) {
            List<String> arguments = arguments(node, directory, database);
            arguments.addAll(login);
            arguments.addAll(properties);
            ProcessBuilder builder = new ProcessBuilder(Installation.find().brokerCommand(arguments));
            Path log = directory.resolve("node-" + node + ".log");
            BrokerProcess broker = begin(() -> BrokerProcess.launch(builder, log));
            broker.awaitServing(START_MAX);
            brokers.add(broker);
            say("Node %d runs (process %d): %s and %s", node, broker.pid(), broker.amqpUrl(), broker.httpUrl());
        }
        return brokers;
    }

    /** Starts a process. */
    private interface Launch<T extends AutoCloseable> {
        T start() throws IOException;
    }

    /** Starts a part, unless the cluster is being stopped: what has begun ends with it. */
    private <T extends AutoCloseable> T begin(Launch<T> launch) throws IOException {
        synchronized (parts) {
            if (stopping) {
                throw new IOException("the cluster is being stopped");
            }
            T part = launch.start();
            parts.push(part);
            return part;
        }
    }

    private boolean isStopping() {
        synchronized (parts) {
            return stopping;
        }
    }

    private List<String> arguments(int node, Path directory, String database) {
        List<String> arguments = new ArrayList<>();
        arguments.add("--ringtable.cluster.enabled=true");
        arguments.add("--ringtable.shards=" + shards);
        arguments.add("--ringtable.store.url=" + database);
        arguments.add("--ringtable.amqp.host=" + HOST);
        arguments.add("--ringtable.amqp.port=" + port(amqpPort, node));
        arguments.add("--ringtable.data-dir=" + directory.resolve("node-" + node));
        arguments.add("--server.address=" + HOST);
        arguments.add("--server.port=" + port(httpPort, node));
        return arguments;
    }

    private static int port(int first, int node) {
        return first == 0 ? 0 : first + node - 1;
    }

    private void awaitEnd(List<BrokerProcess> brokers) {
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        for (int i = 0; i < brokers.size(); i++) {
            int node = i + 1;
            ends.add(brokers.get(i).ended().thenAccept(exitCode -> sayEnded(node, exitCode)));
        }
        CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new)).join();
    }

    private void sayEnded(int node, int exitCode) {
        if (!isStopping()) {
            say("Node %d has ended with %d. The others take its shards.", node, exitCode);
        }
    }

    private void stop(Path directory) {
        synchronized (parts) {
            stopping = true;
        }
        while (!parts.isEmpty()) { // nothing is added any more
            try {
                parts.pop().close();
            } catch (Exception e) {
                spec.commandLine().getErr().println("RT-6055 a part of the cluster does not stop: " + e);
            }
        }
        if (data == null && !failed) { // after a failure the logs say why
            DemoCommand.delete(directory);
        }
    }

    private void sayWhatNext(List<BrokerProcess> brokers) {
        String first = brokers.get(0).amqpUrl();
        String last = brokers.get(brokers.size() - 1).amqpUrl();
        say("");
        say("The cluster is ready. What to try next, in another terminal:");
        say("  bin/ringtable shard list --http %s", brokers.get(0).httpUrl());
        say("  printf 'one\\ntwo\\n' | bin/ringtable publish queue://orders --url %s", first);
        say("  bin/ringtable subscribe queue://orders --url %s", last);
        say(
                "  kill -9 %d   # the others take its shards",
                brokers.get(brokers.size() - 1).pid());
    }

    private void say(String format, Object... values) {
        out.println(String.format(Locale.ROOT, format, values));
        out.flush();
    }
}
