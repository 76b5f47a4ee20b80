package io.ringtable.acceptance.cluster;

import io.ringtable.acceptance.freeze.Account;
import io.ringtable.acceptance.freeze.Worker;
import io.ringtable.acceptance.harness.Bench;
import io.ringtable.acceptance.harness.Pace;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Clients in other languages, each a process that knows one node, drawn at random, and ends with its connection. The
 * next one goes on. {@code src/test/clients} has the program {@code stream} of each language.
 */
final class ProcessWorkers {
    private static final Duration PAUSE = Duration.ofMillis(20); // between messages
    static final int CREDIT = 20; // of each consumer, as the programs have it
    private static final int WINDOW = 50; // messages without an outcome
    private static final String QUEUE = "queue";

    private ProcessWorkers() {}

    /** One process, whose output a thread of its own reads. */
    private static final class Stream implements AutoCloseable {
        private final Process process;
        private final Thread reader;
        private final Writer keyboard;

        Stream(List<String> command, Path errors, java.util.function.Consumer<String> lines) {
            try {
                process = new ProcessBuilder(command)
                        .redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()))
                        .start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            keyboard = process.outputWriter(StandardCharsets.UTF_8);
            reader = new Thread(() -> read(lines), "stream-output");
            reader.setDaemon(true);
            reader.start();
        }

        private void read(java.util.function.Consumer<String> each) {
            try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
                lines.lines().forEach(each);
            } catch (IOException | UncheckedIOException ended) {
                // So has the process.
            }
        }

        void write(String line) {
            try {
                keyboard.write(line + "\n");
                keyboard.flush();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        boolean isAlive() {
            return process.isAlive();
        }

        /** Ends it, and returns when all that it has said is known. Destroying a {@code Process} closes its output. */
        @Override
        public void close() {
            process.toHandle().destroyForcibly();
            try {
                reader.join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** Draws a node, and starts the program for it. */
    private static final class Program {
        private final List<String> command;
        private final List<Integer> ports;
        private final Path errors;
        private final Random random;

        Program(Language language, Bench bench, String role, List<Integer> ports, long seed) throws IOException {
            this.command = language.command();
            this.ports = ports;
            this.errors = bench.directory().resolve(language.word() + "-" + role + ".log");
            this.random = new Random(seed);
        }

        Stream start(String verb, String queue, java.util.function.Consumer<String> lines) {
            List<String> all = new ArrayList<>(command);
            String url = "amqp://127.0.0.1:" + ports.get(random.nextInt(ports.size()));
            all.addAll(List.of(verb, url, QUEUE + "://" + queue));
            return new Stream(all, errors, lines);
        }
    }

    /** Sends again what had no outcome, in its order: the broker may have stored it already. */
    static final class Publisher extends Worker {
        private final Program program;
        private final Account account;
        private final String queue;
        private final String name;
        private final Set<String> unanswered = new LinkedHashSet<>(); // guarded by itself
        private int number;

        Publisher(Language language, Bench bench, List<Integer> ports, Account account, String queue, long seed)
                throws IOException {
            super(language.word() + "-publisher-" + queue);
            this.program = new Program(language, bench, "publisher", ports, seed);
            this.account = account;
            this.queue = queue;
            this.name = language.word();
        }

        @Override
        protected void work() {
            try (Stream stream = program.start("publish", queue, this::accepted)) {
                for (String id : copyOfUnanswered()) {
                    account.resending(id);
                    stream.write(id);
                }
                while (stream.isAlive() && (goesOn() || !copyOfUnanswered().isEmpty())) {
                    if (goesOn() && copyOfUnanswered().size() < WINDOW) {
                        String id = name + "/" + queue + "/" + number++;
                        account.sending(queue, id);
                        synchronized (unanswered) {
                            unanswered.add(id);
                        }
                        stream.write(id);
                    }
                    Pace.pass(PAUSE);
                }
            }
        }

        private void accepted(String id) {
            account.accepted(id);
            synchronized (unanswered) {
                unanswered.remove(id);
            }
        }

        private List<String> copyOfUnanswered() {
            synchronized (unanswered) {
                return List.copyOf(unanswered);
            }
        }
    }

    /** Accepts each message once it has said which one came. */
    static final class Consumer extends Worker {
        private final Program program;
        private final Account account;
        private final String queue;
        private final String name;
        private int started; // processes

        Consumer(Language language, Bench bench, List<Integer> ports, Account account, String queue, long seed)
                throws IOException {
            super(language.word() + "-consumer-" + queue);
            this.program = new Program(language, bench, "consumer", ports, seed);
            this.account = account;
            this.queue = queue;
            this.name = language.word() + "-consumer";
        }

        @Override
        protected void work() {
            String by = name + " " + ++started; // each process is a consumer of its own
            try (Stream stream = program.start("consume", queue, line -> arrived(by, line))) {
                awaitEndOr(stream.process.onExit());
            }
        }

        private void arrived(String by, String line) {
            String[] parts = line.split(" ", 2);
            account.arrived(queue, by, parts[1], Boolean.parseBoolean(parts[0]));
        }
    }
}
