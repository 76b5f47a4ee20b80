package io.ringtable.acceptance.harness;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Enumeration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Unpacks the executable jar into plain jars on a class path, with a shared archive of their classes: a start takes
 * little more than half of the processor time. The build starts the broker some hundred times.
 * <p>
 * Thread: any; made once per build.
 */
final class UnpackedBroker {
    private static final Path DIRECTORY = Path.of("target", "broker-unpacked").toAbsolutePath();
    private static final String CLASSES = "BOOT-INF/classes/";
    private static final String META = "META-INF/";
    private static final String LIBRARIES = "BOOT-INF/lib/";
    private static final long TRAINING_SECONDS = 120;
    private static final Pattern ACTIVE = Pattern.compile("is active: amqp://[^:]+:(\\d+)");

    private static List<String> options;

    private UnpackedBroker() {}

    /** Returns the rest of the command, after the options of the JVM. */
    static synchronized List<String> command(Path jar, List<String> jvm) {
        if (options == null) {
            try {
                options = prepare(jar, jvm);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return options;
    }

    private static List<String> prepare(Path jar, List<String> jvm) throws IOException {
        String stamp = Files.getLastModifiedTime(jar) + " " + Files.size(jar) + " " + Runtime.version() + " " + jvm
                + " trained until it has stopped";
        Path stampFile = DIRECTORY.resolve("stamp");
        Path archive = DIRECTORY.resolve("classes.jsa");
        boolean isThere = Files.exists(stampFile) && Files.readString(stampFile).equals(stamp);
        if (!isThere) {
            delete();
            Files.createDirectories(DIRECTORY.resolve("lib"));
            unpack(jar);
        }
        List<String> start = List.of("-cp", classPath(), mainClass(jar));
        if (!isThere) {
            train(jvm, archive, start);
            Files.writeString(stampFile, stamp);
        }
        List<String> command = new ArrayList<>(List.of("-XX:SharedArchiveFile=" + archive, "-Xlog:cds=off"));
        command.addAll(start);
        return List.copyOf(command);
    }

    private static void unpack(Path jar) throws IOException {
        try (JarFile file = new JarFile(jar.toFile());
                JarOutputStream classes = new JarOutputStream(
                        Files.newOutputStream(DIRECTORY.resolve("classes.jar")), file.getManifest())) {
            for (Enumeration<JarEntry> entries = file.entries(); entries.hasMoreElements(); ) {
                JarEntry entry = entries.nextElement();
                String name = entry.getName();
                try (InputStream bytes = file.getInputStream(entry)) {
                    if (name.startsWith(LIBRARIES) && !entry.isDirectory()) {
                        Files.copy(bytes, DIRECTORY.resolve("lib").resolve(name.substring(LIBRARIES.length())));
                    } else if (name.startsWith(CLASSES) && !name.equals(CLASSES)) {
                        classes.putNextEntry(new JarEntry(name.substring(CLASSES.length())));
                        bytes.transferTo(classes);
                    } else if (name.startsWith(META) && !entry.isDirectory() && !name.equals(JarFile.MANIFEST_NAME)) {
                        classes.putNextEntry(new JarEntry(name)); // spring.factories: who reports a failed start
                        bytes.transferTo(classes);
                    }
                }
            }
        }
    }

    private static String mainClass(Path jar) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            return file.getManifest().getMainAttributes().getValue("Start-Class");
        }
    }

    private static String classPath() throws IOException {
        try (Stream<Path> libraries = Files.list(DIRECTORY.resolve("lib"))) {
            List<String> path =
                    new ArrayList<>(List.of(DIRECTORY.resolve("classes.jar").toString()));
            libraries.map(Path::toString).sorted().forEach(path::add);
            return String.join(":", path);
        }
    }

    /** One start, one message and one stop: what is loaded on the way is in the archive. */
    private static void train(List<String> jvm, Path archive, List<String> start) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvm);
        command.add("-XX:ArchiveClassesAtExit=" + archive);
        command.addAll(start);
        command.addAll(List.of("--ringtable.amqp.port=0", "--server.port=0"));
        command.add("--ringtable.data-dir=" + DIRECTORY.resolve("training"));
        Path log = DIRECTORY.resolve("training.log");
        Process process = new ProcessBuilder(command)
                .directory(DIRECTORY.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            sendOneMessage(awaitPort(process, log));
            Signal.TERM.to(process.pid());
            if (!process.waitFor(TRAINING_SECONDS, TimeUnit.SECONDS) || !Files.exists(archive)) {
                throw new AssertionError("no archive of classes was made:\n" + Files.readString(log));
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        } finally {
            process.destroyForcibly();
        }
    }

    private static int awaitPort(Process process, Path log) {
        Matcher active = await("the broker that is trained")
                .atMost(TRAINING_SECONDS, TimeUnit.SECONDS)
                .pollInterval(Duration.ofMillis(25))
                .failFast("the broker has ended", () -> !process.isAlive())
                .until(() -> ACTIVE.matcher(Files.readString(log)), Matcher::find);
        return Integer.parseInt(active.group(1));
    }

    private static void sendOneMessage(int port) {
        try (RawAmqp client = RawAmqp.socket(port).open("training")) {
            client.attachSender(0, "training");
            client.attachReceiver(1, "training", 1);
            client.transfer(0, 0, "training");
            client.accept(client.receive());
        }
    }

    private static void delete() throws IOException {
        if (Files.exists(DIRECTORY)) {
            try (Stream<Path> files = Files.walk(DIRECTORY)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }
}
