package io.ringtable.walkthrough;

import static java.util.regex.Matcher.quoteReplacement;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A directory that stands for the top of a checkout, with terminals in it. Links lead to the pages and programs of the
 * real one; brokers store their messages here. Free ports replace those that pages name, and the default ones.
 * <p>
 * Thread: the test's.
 */
final class Checkout implements AutoCloseable {
    static final Path ROOT =
            Path.of(System.getProperty("ringtable.root", "..")).toAbsolutePath().normalize();

    /** The line that a broker prints once it serves, behind others. */
    static final List<String> SERVES = List.of("…", "… Ringtable … is active: …");

    /** Options of a JVM that is small and quick to start. */
    static final String BRIEF_JVM = "-Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1";

    private static final List<String> LINKED = List.of("bin/ringtable", "docs", "examples");

    private final Path directory;
    private final Map<String, String> replaced = new HashMap<>();
    private final Map<String, String> environment = new HashMap<>();
    private final List<Terminal> terminals = new ArrayList<>();

    Checkout(Path directory) throws IOException {
        this.directory = Files.createDirectories(directory.resolve("checkout"));
        Files.createDirectories(this.directory.resolve("bin"));
        for (String linked : LINKED) {
            Files.createSymbolicLink(this.directory.resolve(linked), ROOT.resolve(linked));
        }
        for (int first : new int[] {5672, 8161}) {
            int port = freePorts(2);
            replaced.put(Integer.toString(first), Integer.toString(port));
            replaced.put(
                    Integer.toString(first + 1), Integer.toString(port + 1)); // nodes of a cluster follow each other
        }
        replaced.put("8080", Integer.toString(freePorts(1)));
        environment.put("RINGTABLE_AMQP_PORT", replaced.get("5672"));
        environment.put("SERVER_PORT", replaced.get("8161"));
        environment.put("AMQP_URL", "amqp://localhost:" + replaced.get("5672"));
        environment.put("RINGTABLE_CLI_URL", "amqp://localhost:" + replaced.get("5672"));
        environment.put("RINGTABLE_CLI_HTTP", "http://127.0.0.1:" + replaced.get("8161"));
        environment.put("RINGTABLE_JAVA_OPTS", BRIEF_JVM);
        environment.put("RINGTABLE_RING_CAPACITY", "16384"); // a quarter of the default: a new broker writes all slots
    }

    /** Lets another text stand where a page has this one, whatever ports it names. */
    void replace(String text, String other) {
        replaced.put(text, other);
    }

    void set(String variable, String value) {
        environment.put(variable, value);
    }

    /** The text of a page, as it has to read here. Nothing that was put in is replaced again, though it has a port. */
    String here(String text) {
        String anyOfThem = replaced.keySet().stream()
                .sorted(Comparator.comparingInt(String::length).reversed())
                .map(Pattern::quote)
                .collect(Collectors.joining("|"));
        return Pattern.compile(anyOfThem)
                .matcher(text)
                .replaceAll(found -> quoteReplacement(replaced.get(found.group())));
    }

    List<String> here(List<String> lines) {
        return lines.stream().map(this::here).toList();
    }

    /** Opens a terminal in a folder of the real checkout, or at the top of this one ({@code ""}). */
    Terminal terminal(String name, String folder) {
        Path place = folder.isEmpty() ? directory : ROOT.resolve(folder);
        Terminal terminal = new Terminal(directory.resolveSibling(name + ".out"), place, environment);
        terminals.add(terminal);
        return terminal;
    }

    /**
     * Finds ports below those that the system gives to outgoing connections, which none of them takes in between.
     *
     * @return the first of that many in a row
     */
    private static int freePorts(int count) {
        while (true) {
            int first = ThreadLocalRandom.current().nextInt(10_000, 20_000);
            if (IntStream.range(first, first + count).allMatch(Checkout::isFree)) {
                return first;
            }
        }
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (BindException taken) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends what runs in the terminals, and takes the links to the real checkout away. */
    @Override
    public void close() throws IOException {
        terminals.forEach(Terminal::close);
        for (String linked : LINKED) {
            Files.delete(directory.resolve(linked));
        }
    }
}
