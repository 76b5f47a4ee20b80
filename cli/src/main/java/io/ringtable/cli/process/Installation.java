package io.ringtable.cli.process;

import io.ringtable.cli.failure.CommandFailed;
import io.ringtable.cli.failure.ExitCode;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Knows how a broker is started from where {@code bin/ringtable} stands: an unpacked distribution, or a checkout that
 * has been built. Immutable.
 */
public final class Installation {
    /** Directory of the distribution or of the checkout; {@code bin/ringtable} sets it. */
    public static final String HOME_PROPERTY = "ringtable.home";

    private static final String JAR = "ringtable-broker.jar";
    private static final int WARNS_OF_NATIVE_CODE = 24; // version of Java

    private final Path home;
    private final boolean distribution;
    private final Path jar;
    private final Path unpackedJar; // with its libraries beside it, so that any of its classes can be started
    private final Path archives;
    private final String java;

    private Installation(Path home, boolean distribution, Path jar, Path unpackedJar, Path archives, String java) {
        this.home = home;
        this.distribution = distribution;
        this.jar = jar;
        this.unpackedJar = unpackedJar;
        this.archives = archives;
        this.java = java;
    }

    /** Finds the broker's jar. @throws CommandFailed if there is none */
    public static Installation find() {
        Path home =
                Path.of(System.getProperty(HOME_PROPERTY, ".")).toAbsolutePath().normalize();
        Path distributed = home.resolve("lib").resolve(JAR);
        if (Files.isRegularFile(distributed)) {
            return new Installation(
                    home, true, distributed, distributed, home.resolve("archive"), System.getProperty("java.version"));
        }
        Path built = home.resolve("broker").resolve("target");
        Path executable = built.resolve(JAR);
        if (!Files.isRegularFile(executable)) {
            throw new CommandFailed(
                    ExitCode.FAILED, "RT-6008", "no broker jar at " + executable + ": run ./mvnw -DskipTests package");
        }
        Path unpacked = built.resolve("ringtable-broker");
        String feature = String.valueOf(Runtime.version().feature());
        Path unpackedJar = unpacked.resolve(JAR);
        // It starts with less work, and the build has written an archive for the version of Java that it ran on.
        Path jar = Files.isRegularFile(unpackedJar) ? unpackedJar : executable;
        return new Installation(home, false, jar, unpackedJar, unpacked, feature);
    }

    private static Path optionsIn(Path archives, String java) {
        return archives.resolve("java-" + java + ".options");
    }

    /** Tells whether the archive is the administrator's to write; the build writes that of a checkout. */
    public boolean isDistribution() {
        return distribution;
    }

    /** Returns the file with the options by which a start uses the archive of classes; it need not be there. */
    public Path archiveOptions() {
        return optionsIn(archives, java);
    }

    /** Returns the archive of classes for this JVM; it need not be there. */
    public Path archive() {
        return archives.resolve("classes-" + java + ".jsa");
    }

    /** Returns the command that starts the broker with this JVM, with the archive of its classes if there is one. */
    public List<String> brokerCommand(List<String> properties) {
        return Files.isRegularFile(archiveOptions())
                ? brokerCommand("@" + archiveOptions(), properties)
                : brokerCommand(null, properties);
    }

    /** Returns the command that starts the broker with this JVM and writes the archive of its classes at the end. */
    public List<String> archivingCommand(List<String> properties) {
        List<String> command = new ArrayList<>(brokerCommand("-XX:ArchiveClassesAtExit=" + archive(), properties));
        command.add(command.indexOf("-jar"), "-XX:TieredStopAtLevel=1"); // nothing of what it compiles is kept
        return command;
    }

    /** Returns the command that runs another class of the broker's jar, briefly and with little memory. */
    List<String> programCommand(String mainClass, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(java());
        // As bin/ringtable starts commands.
        command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Xmx64m"));
        if (Runtime.version().feature() >= WARNS_OF_NATIVE_CODE) {
            command.add("--enable-native-access=ALL-UNNAMED"); // the manifest of a jar counts for java -jar only
        }
        command.addAll(List.of("-cp", unpackedJar.toString(), mainClass));
        command.addAll(arguments);
        return command;
    }

    /**
     * Returns the command that runs a PostgreSQL server.
     *
     * @param directory takes its data
     * @throws CommandFailed in a distribution, which has none: its binaries are of one platform
     */
    List<String> postgresqlCommand(Path directory) {
        Path cli = home.resolve("cli").resolve("target");
        Path binaries = cli.resolve("postgresql");
        if (!Files.isDirectory(binaries)) {
            throw new CommandFailed(
                    ExitCode.FAILED,
                    "RT-6052",
                    "no PostgreSQL at " + binaries + ", as only a checkout that was built has one: name a server of"
                            + " yours with --url=jdbc:postgresql://HOST/DATABASE");
        }
        return List.of(
                "sh", // a signal from the terminal reaches all processes: the brokers need their database to stop
                "-c",
                "trap '' HUP INT TERM; exec \"$@\"",
                "sh",
                java(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx256m", // the binaries are unpacked in memory
                "-cp",
                cli.resolve("lib").resolve("ringtable-cli.jar") + File.pathSeparator + binaries + File.separator + "*",
                PostgresqlProgram.class.getName(),
                directory.toString());
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    private List<String> brokerCommand(String option, List<String> properties) {
        List<String> command = new ArrayList<>();
        command.add(java());
        String own = System.getenv("RINGTABLE_JAVA_OPTS");
        if (own != null && !own.isBlank()) {
            command.addAll(List.of(own.strip().split("\\s+")));
        }
        if (option != null) {
            command.add(option);
        }
        command.add("-jar");
        command.add(jar.toString());
        command.addAll(properties);
        return command;
    }
}
