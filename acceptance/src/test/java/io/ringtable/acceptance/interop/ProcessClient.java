package io.ringtable.acceptance.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.acceptance.harness.Required;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Runs a client program below {@code src/test/clients} as a process. Its library is fetched from the registry of its
 * language into {@code target/clients}, unless the machine has it.
 */
public final class ProcessClient implements Client {
    private static final Path SOURCES = Path.of("src", "test", "clients").toAbsolutePath();
    private static final Path INSTALLED = Path.of("target", "clients").toAbsolutePath();
    private static final int SECONDS = 300; // ends one that hangs; one tries 75 things, each on a connection
    private static final int INSTALL_SECONDS = 300;
    private static final Pattern LINE = Pattern.compile("\\{\"body\": ?\"(.*)\", ?\"n\": ?(\\d+)}");

    private final List<String> command;
    private final String url;

    private ProcessClient(List<String> command, String url) {
        this.command = command;
        this.url = url;
    }

    /** python-qpid-proton; skips the test, or fails where {@code clients.required} names python. */
    public static ProcessClient python(String url) throws IOException {
        Path program = SOURCES.resolve("python/client.py");
        if (Required.failureOf("python3", "-c", "import proton") == null) {
            return new ProcessClient(List.of("python3", program.toString()), url);
        }
        Path venv = INSTALLED.resolve("python");
        Path python = venv.resolve("bin/python");
        if (Required.failureOf(python.toString(), "-c", "import proton") != null) {
            install("python", SOURCES, "python3", "-m", "venv", venv.toString());
            String requirements = SOURCES.resolve("python/requirements.txt").toString();
            install("python", SOURCES, python.toString(), "-m", "pip", "install", "-q", "-r", requirements);
        }
        return new ProcessClient(List.of(python.toString(), program.toString()), url);
    }

    /** rhea; skips the test, or fails where {@code clients.required} names node. */
    public static ProcessClient node(String url) throws IOException {
        Path directory = INSTALLED.resolve("node");
        copy(SOURCES.resolve("node"), directory);
        if (!Files.isDirectory(directory.resolve("node_modules/rhea"))) {
            install("node", directory, "npm", "ci", "--silent", "--ignore-scripts");
        }
        return new ProcessClient(List.of("node", directory.resolve("client.js").toString()), url);
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.copy(file, to.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    private static void install(String client, Path directory, String... command) {
        try {
            run(directory, INSTALL_SECONDS, List.of(command));
        } catch (IOException | AssertionError failure) {
            Required.missing("clients.required", client, failure.getMessage());
        }
    }

    @Override
    public void send(String kind, String address, int count, String prefix) throws IOException {
        call("send", url, kind, address, Integer.toString(count), prefix);
    }

    /** Sends messages of the trace that {@code traceparent} names. Only python can. */
    void send(String kind, String address, int count, String prefix, String traceparent) throws IOException {
        call("send", url, kind, address, Integer.toString(count), prefix, traceparent);
    }

    @Override
    public List<Received> receive(String kind, String address, int count) throws IOException {
        return received(call("receive", url, kind, address, Integer.toString(count)));
    }

    @Override
    public void subscribe(String topic, String containerId, String name) throws IOException {
        call("subscribe", url, topic, containerId, name);
    }

    @Override
    public List<Received> resume(String topic, String containerId, String name, int count) throws IOException {
        return received(call("receive", url, "topic", topic, Integer.toString(count), containerId, name));
    }

    /**
     * Moves messages from one queue to another in one transaction.
     *
     * @param ending commit, abort or lose
     * @param settles whether it settles deliveries before the end
     */
    void transact(String from, String to, int count, String ending, boolean settles) throws IOException {
        call("transact", url, from, to, Integer.toString(count), ending, settles ? "yes" : "no");
    }

    /**
     * Does what each line says, on a connection of its own.
     *
     * @param tries lines of user, way and address
     * @return the same lines, each with {@code allowed} or the reason of the refusal behind it
     */
    List<String> tryEach(List<String> tries) throws IOException {
        Path file = Files.write(Files.createTempFile("tries", ".txt"), tries);
        try {
            return call("try", url, file.toString()).lines().toList();
        } finally {
            Files.delete(file);
        }
    }

    /**
     * Logs in over TLS by one mechanism alone, and sends {@code hello} to the queue that is named as the mechanism.
     *
     * @param certificate for EXTERNAL, with its key, as PEM files
     */
    public void login(String mechanism, String user, String secret, Path certificate, Path key) throws IOException {
        call("login", url, mechanism, user, secret, certificate.toString(), key.toString());
    }

    private String call(String... arguments) throws IOException {
        List<String> all = new ArrayList<>(command);
        all.addAll(List.of(arguments));
        return run(SOURCES, SECONDS, all);
    }

    private static String run(Path directory, int seconds, List<String> command) throws IOException {
        Path output = Files.createTempFile("client", ".out");
        Path errors = Files.createTempFile("client", ".err");
        Process process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectOutput(output.toFile())
                .redirectError(errors.toFile())
                .start();
        try {
            boolean ended = process.waitFor(seconds, TimeUnit.SECONDS);
            String printed = Files.readString(output, StandardCharsets.UTF_8);
            assertThat(ended ? process.exitValue() : -1)
                    .as(
                            "exit code of %s (-1: none within %d s)%n%s%n%s",
                            command, seconds, printed, Files.readString(errors))
                    .isZero();
            return printed;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        } finally {
            process.destroyForcibly();
            Files.delete(output);
            Files.delete(errors);
        }
    }

    private static List<Received> received(String printed) {
        return printed.lines()
                .map(line -> {
                    Matcher matcher = LINE.matcher(line);
                    assertThat(matcher.matches()).as(line).isTrue();
                    return new Received(matcher.group(1), Integer.parseInt(matcher.group(2)));
                })
                .toList();
    }
}
