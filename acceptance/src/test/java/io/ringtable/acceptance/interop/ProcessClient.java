package io.ringtable.acceptance.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.acceptance.harness.ClientLibraries;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs a client program below {@code src/test/clients} as a process.
 */
final class ProcessClient implements Client {
    private static final Path SOURCES = Path.of("src", "test", "clients").toAbsolutePath();
    private static final int SECONDS = 60;
    private static final Pattern LINE = Pattern.compile("\\{\"body\": ?\"(.*)\", ?\"n\": ?(\\d+)}");

    private final List<String> command;
    private final Map<String, String> environment;
    private final String url;

    private ProcessClient(List<String> command, Map<String, String> environment, String url) {
        this.command = command;
        this.environment = environment;
        this.url = url;
    }

    /** python-qpid-proton; skips the test, or fails where {@code clients.required} names python. */
    static ProcessClient python(String url) {
        String python = ClientLibraries.python().toString();
        return new ProcessClient(
                List.of(python, SOURCES.resolve("python/client.py").toString()), Map.of(), url);
    }

    /** rhea; skips the test, or fails where {@code clients.required} names node. */
    static Client node(String url) throws IOException {
        Map<String, String> modules =
                Map.of("NODE_PATH", ClientLibraries.nodeModules().toString());
        return new ProcessClient(
                List.of("node", SOURCES.resolve("node/client.js").toString()), modules, url);
    }

    @Override
    public void send(String kind, String address, int count, String prefix) throws IOException {
        call("send", url, kind, address, Integer.toString(count), prefix);
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

    private String call(String... arguments) throws IOException {
        List<String> all = new ArrayList<>(command);
        all.addAll(List.of(arguments));
        return run(all);
    }

    private String run(List<String> command) throws IOException {
        Path output = Files.createTempFile("client", ".out");
        Path errors = Files.createTempFile("client", ".err");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(SOURCES.toFile())
                .redirectOutput(output.toFile())
                .redirectError(errors.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            boolean ended = process.waitFor(SECONDS, TimeUnit.SECONDS);
            String printed = Files.readString(output, StandardCharsets.UTF_8);
            assertThat(ended ? process.exitValue() : -1)
                    .as(
                            "exit code of %s (-1: none within %d s)%n%s%n%s",
                            command, SECONDS, printed, Files.readString(errors))
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
