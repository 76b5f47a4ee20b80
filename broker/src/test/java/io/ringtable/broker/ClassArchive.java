package io.ringtable.broker;

import jakarta.jms.JMSContext;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.sqlite.util.LibraryLoaderUtil;

/**
 * Writes the class-data archive of the unpacked broker, with which a start takes two thirds of the time. The broker
 * starts once, carries one message, answers over HTTP and stops. The JVM then keeps the classes that it has loaded on
 * the way. A file beside the archive has the options that a start needs for it: {@code java @java-17.options -jar …}.
 * They also name SQLite's library, which lies beside both.
 * <p>
 * The build runs it behind the executable jar. Both files bear the number of the Java version: another JVM than the one
 * that wrote the archive starts without it. Thread: main. Failure: the broker's log is in the exception.
 */
public final class ClassArchive {
    private static final Pattern ACTIVE = Pattern.compile("is active: (amqp://[^\\s,]+), (http://\\S+)");
    private static final List<String> ASKED = List.of("/readyz", "/status", "/actuator/prometheus");
    private static final long MOST_SECONDS = 600; // ends a build that hangs; a busy machine may take two minutes

    private ClassArchive() {}

    /**
     * Writes {@code classes-VERSION.jsa} and {@code java-VERSION.options} beside the jar.
     *
     * @param args the directory with the unpacked broker, and one for its data
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        Path directory = Path.of(args[0]).toAbsolutePath();
        int version = Runtime.version().feature();
        Path archive = directory.resolve("classes-" + version + ".jsa");
        Path options = directory.resolve("java-" + version + ".options");
        Files.deleteIfExists(options);
        Files.deleteIfExists(archive);
        Process broker = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1", // nothing of what it compiles is kept
                        "-XX:+UseSerialGC",
                        "-XX:ArchiveClassesAtExit=" + archive,
                        "-jar",
                        directory.resolve("ringtable-broker.jar").toString(),
                        "--ringtable.amqp.host=127.0.0.1",
                        "--ringtable.amqp.port=0",
                        "--server.address=127.0.0.1",
                        "--server.port=0",
                        "--ringtable.data-dir=" + args[1]))
                .redirectErrorStream(true)
                .start();
        broker.onExit().orTimeout(MOST_SECONDS, TimeUnit.SECONDS).exceptionally(late -> broker.destroyForcibly());
        String log = untilItsEnd(broker);
        broker.waitFor();
        if (Files.exists(archive)) {
            Files.write(options, optionsFor(archive, layLibrary(directory)));
        } else if (File.separatorChar == '/') { // elsewhere nobody asks a process to stop in order
            throw new IllegalStateException("the broker left no archive of its classes; its log:\n" + log);
        }
    }

    /** A JVM that the archive does not fit leaves it out and says nothing: a broker's output is its own. */
    private static List<String> optionsFor(Path archive, Path library) {
        return List.of(
                quoted("-XX:SharedArchiveFile=" + archive),
                quoted("-Dorg.sqlite.lib.path=" + library.getParent()),
                "-Xlog:cds=off",
                "-Xlog:cds+dynamic=off");
    }

    private static String quoted(String option) {
        return '"' + option.replace("\\", "\\\\") + '"';
    }

    /**
     * Lays SQLite's library beside the jars. Each process would else write it to a temporary file of its own, compare
     * the two, and leave the file there when it is killed.
     */
    private static Path layLibrary(Path directory) throws IOException {
        String name = LibraryLoaderUtil.getNativeLibName();
        String resource = LibraryLoaderUtil.getNativeLibResourcePath() + '/' + name;
        try (InputStream library = Objects.requireNonNull(
                LibraryLoaderUtil.class.getResourceAsStream(resource), "SQLite has no library for this machine")) {
            Path laid = directory.resolve(name);
            Files.copy(library, laid, StandardCopyOption.REPLACE_EXISTING);
            return laid;
        }
    }

    private static String untilItsEnd(Process broker) throws IOException {
        StringBuilder log = new StringBuilder();
        try (BufferedReader lines = broker.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                log.append(line).append('\n');
                Matcher active = ACTIVE.matcher(line);
                if (active.find()) {
                    carryOneMessage(active.group(1));
                    ask(active.group(2));
                    broker.toHandle().destroy(); // SIGTERM, as an operator stops it; the output stays open
                }
            }
        } finally {
            broker.destroy();
        }
        return log.toString();
    }

    private static void carryOneMessage(String url) {
        try (JMSContext context = new JmsConnectionFactory(url).createContext()) {
            context.createProducer().send(context.createQueue("training"), "one");
            context.createConsumer(context.createQueue("training")).receiveBody(String.class);
        }
    }

    /** Asks for what probes and operators ask for first. */
    private static void ask(String url) throws IOException {
        for (String path : ASKED) {
            try (InputStream answer = URI.create(url + path).toURL().openStream()) {
                answer.readAllBytes();
            }
        }
    }
}
