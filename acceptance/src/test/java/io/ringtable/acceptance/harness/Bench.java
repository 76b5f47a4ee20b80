package io.ringtable.acceptance.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Deque;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.opentest4j.TestAbortedException;

/**
 * Gives a place to one test, or to all tests of a class if a static field registers it or {@link OfClass} asks for it.
 * The place is a directory below {@code target/acceptance}. Everything that is started there ends in reverse order
 * afterwards. After a failure the directory stays, with logs, stores and traces; else it is removed.
 * <p>
 * Thread: those of one test; classes run side by side.
 */
public final class Bench
        implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback, AutoCloseable {
    private static final Path PARENT = Path.of("target", "acceptance").toAbsolutePath();

    private final Deque<AutoCloseable> started = new ConcurrentLinkedDeque<>(); // classes share the build's
    private ExtensionContext root;
    private Path directory;
    private BrokerProcess sharedBroker; // null = nobody has asked
    private int brokers;
    private boolean forClass;
    private boolean failed;

    /**
     * Gives the bench of its class, of each of its parameters if it has them, to whatever asks for one by a parameter.
     */
    public static final class OfClass implements ParameterResolver, AfterEachCallback {
        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == Bench.class;
        }

        @Override
        public Bench resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return of(context);
        }

        @Override
        public void afterEach(ExtensionContext context) {
            of(context).lookAt(context);
        }

        private static Bench of(ExtensionContext context) {
            ExtensionContext parent = context.getParent().orElseThrow();
            // The store ends what it holds with the context that it belongs to.
            return parent.getStore(ExtensionContext.Namespace.create(Bench.class))
                    .computeIfAbsent("bench", key -> forClass(parent), Bench.class);
        }

        private static Bench forClass(ExtensionContext context) {
            return opened(
                    context.getRoot(), context.getRequiredTestClass().getSimpleName() + "-" + context.getDisplayName());
        }
    }

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        root = context.getRoot();
        forClass = true;
        open(context.getRequiredTestClass().getSimpleName());
    }

    @Override
    public void beforeEach(ExtensionContext context) throws IOException {
        root = context.getRoot();
        if (!forClass) {
            open(context.getRequiredTestClass().getSimpleName() + "-"
                    + context.getRequiredTestMethod().getName() + "-" + context.getDisplayName());
        }
    }

    private static Bench opened(ExtensionContext root, String name) {
        Bench bench = new Bench();
        bench.root = root;
        try {
            bench.open(name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bench;
    }

    private void open(String name) throws IOException {
        directory = PARENT.resolve(name.replaceAll("[^A-Za-z0-9.-]+", "_"));
        delete(directory);
        Files.createDirectories(directory);
        brokers = 0;
    }

    @Override
    public void afterEach(ExtensionContext context) {
        lookAt(context);
        if (!forClass) {
            close();
        }
    }

    private void lookAt(ExtensionContext context) {
        context.getExecutionException()
                .filter(failure -> !(failure instanceof TestAbortedException))
                .ifPresent(failure -> {
                    failed = true;
                    System.err.println(
                            "FAILED " + context.getDisplayName() + ": logs and stores are kept in " + directory);
                });
    }

    /** Keeps the files after a failure that JUnit does not tell about, such as one of a dynamic test. */
    public void keep() {
        failed = true;
        System.err.println("FAILED: logs and stores are kept in " + directory);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (forClass) {
            close();
        }
    }

    @Override
    public void close() {
        Exception failure = null;
        while (!started.isEmpty()) {
            try {
                started.pop().close();
            } catch (Exception e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw new IllegalStateException("what the test had started does not end", failure);
        }
        if (!failed) {
            try {
                delete(directory);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    public Path directory() {
        return directory;
    }

    /** Ends with the test. */
    public <T extends AutoCloseable> T closing(T part) {
        started.push(part);
        return part;
    }

    /** A broker in a directory of its own, not yet started. */
    public BrokerProcess broker(UnaryOperator<BrokerSettings> settings) {
        brokers++;
        return closing(new BrokerProcess(settings.apply(BrokerSettings.in(directory.resolve("broker-" + brokers)))));
    }

    /**
     * The broker of all tests that share this bench: one that a class with the same settings has done with, else a new
     * one. With other tests' addresses and messages in it, none has a name of this class's. It looks into the inbox
     * once a second: no test on it writes a row, and several such brokers idle.
     */
    public BrokerProcess sharedBroker(Engine engine, UnaryOperator<BrokerSettings> its) {
        if (sharedBroker == null) {
            UnaryOperator<BrokerSettings> settings =
                    broker -> its.apply(broker.with("ringtable.inbox.probe-interval", "1s"));
            SharedBrokers brokers =
                    ofTheBuild("brokers", SharedBrokers.class, () -> new SharedBrokers(PARENT, opened(root, "shared")));
            String key = engine + " "
                    + new TreeMap<>(settings.apply(BrokerSettings.in(PARENT)).properties());
            sharedBroker = brokers.take(key, () -> start(engine, settings, brokers));
            closing(() -> endOrHandOn(brokers, key));
        }
        return sharedBroker;
    }

    private BrokerProcess start(Engine engine, UnaryOperator<BrokerSettings> settings, SharedBrokers brokers) {
        try {
            BrokerSettings its = BrokerSettings.in(brokers.nextDirectory());
            return new BrokerProcess(settings.apply(engine.on(brokers.bench()).apply(its))).start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void endOrHandOn(SharedBrokers brokers, String key) throws IOException {
        if (!failed && sharedBroker.isAlive()) {
            brokers.handOn(key, sharedBroker);
            return;
        }
        sharedBroker.close();
        if (failed) {
            System.err.println("its broker's log and store are kept in "
                    + sharedBroker.settings().directory());
        } else {
            delete(sharedBroker.settings().directory());
        }
    }

    public BrokerProcess broker() {
        return broker(UnaryOperator.identity());
    }

    /** The one for all tests that need no more than a database of their own; ended after the last one. */
    public PostgresServer sharedPostgres() {
        return ofTheBuild(
                "postgres", PostgresServer.class, () -> startPostgres(PARENT.resolveSibling("acceptance-postgres")));
    }

    /** Returns the one that all classes share; JUnit closes it after the last class. */
    private <T> T ofTheBuild(String name, Class<T> type, Supplier<T> made) {
        return root.getStore(ExtensionContext.Namespace.create(Bench.class))
                .computeIfAbsent(name, key -> made.get(), type);
    }

    private static PostgresServer startPostgres(Path itsDirectory) {
        try {
            delete(itsDirectory); // an earlier build's
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return PostgresServer.start(itsDirectory, true);
    }

    /** One that the test may stop and start. */
    public PostgresServer postgres() {
        return closing(PostgresServer.start(directory.resolve("postgres"), true));
    }

    static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }
}
