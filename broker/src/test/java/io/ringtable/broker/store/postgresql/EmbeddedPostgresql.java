package io.ringtable.broker.store.postgresql;

import io.ringtable.broker.MemoryDirectory;
import io.ringtable.broker.Ports;
import io.zonky.test.db.postgres.embedded.DefaultPostgresBinaryResolver;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/**
 * Runs a PostgreSQL server of our own, from the binaries that lie on Maven Central: needs nothing but a JDK. As durable
 * as a server can be: every setting that decides about it is PostgreSQL's default. Its files lie in memory where there
 * is room, because hundreds of databases come and go.
 * <p>
 * PostgreSQL refuses to run as root, which builds in containers often do. The server then begins in a user namespace of
 * its own, or under another user id, whichever this machine allows.
 */
public final class EmbeddedPostgresql {
    static final String USER = "postgres";
    static final String PASSWORD = "ringtable";

    private static final int NOBODY = 65_534;
    private static final List<List<String>> WAYS_FROM_ROOT = List.of(
            List.of("unshare", "-U"), // files stay root's, which is what an unmapped user looks like from inside
            List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups"),
            List.of("runuser", "-u", "nobody", "--"));

    private final Path directory;
    private final Path binaries;
    private final List<String> prefix;
    private final int port;

    private EmbeddedPostgresql(Path directory, Path binaries, List<String> prefix, int port) {
        this.directory = directory;
        this.binaries = binaries;
        this.prefix = prefix;
        this.port = port;
    }

    /** A new, empty server that runs; stopped and removed when the JVM ends, or earlier by {@link #remove}. */
    public static EmbeddedPostgresql start() throws IOException {
        List<String> prefix = wayFromRoot();
        Path binaries = binaries();
        Path directory = MemoryDirectory.create("ringtable-postgresql-");
        EmbeddedPostgresql server = new EmbeddedPostgresql(directory, binaries, prefix, Ports.free());
        try {
            server.handOver(directory);
            Path password = Files.writeString(directory.resolve("password"), PASSWORD);
            server.handOver(password);
            server.run(
                    "initdb",
                    List.of(
                            "-D",
                            server.data(),
                            "-U",
                            USER,
                            // SCRAM costs its client 4,096 hashes a connection, a quarter of the processor time of the
                            // contract suite.
                            "--auth=password",
                            "--pwfile=" + password,
                            "--encoding=UTF8",
                            "--no-locale",
                            "--no-sync"));
            server.begin();
        } catch (IOException | RuntimeException e) {
            server.remove();
            throw e;
        }
        Runtime.getRuntime().addShutdownHook(new Thread(server::remove, "remove-postgresql"));
        return server;
    }

    /**
     * Another server on a copy of the files of this one, which has to be stopped. The copy begins as a standby that
     * follows nobody. Removed when the JVM ends.
     */
    EmbeddedPostgresql standby() throws IOException {
        EmbeddedPostgresql copy =
                new EmbeddedPostgresql(MemoryDirectory.create("ringtable-postgresql-"), binaries, prefix, Ports.free());
        Runtime.getRuntime().addShutdownHook(new Thread(copy::remove, "remove-postgresql"));
        copy.handOver(copy.directory);
        try {
            if (waitFor(new ProcessBuilder("cp", "-R", "-p", data(), copy.data()).start()) != 0) {
                throw new IOException(data() + " cannot be copied");
            }
        } finally {
            copy.handOver(Files.createFile(Path.of(copy.data(), "standby.signal")));
        }
        return copy;
    }

    public int port() {
        return port;
    }

    /** Has a standby that is not started follow another server. */
    void follows(EmbeddedPostgresql primary) throws IOException {
        Files.writeString(
                Path.of(data(), "postgresql.auto.conf"),
                "primary_conninfo = 'host=127.0.0.1 port=" + primary.port + " user=" + USER + " password=" + PASSWORD
                        + "'\n",
                StandardOpenOption.APPEND);
    }

    /** Starts it after {@link #stop}; waits until it answers. */
    public void begin() throws IOException {
        // An address to itself, and no socket in the file system: its path could be too long.
        // Hundreds of databases wait for the end of the JVM: each would be vacuumed once a minute.
        String options = "-p " + port + " -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c timezone=UTC"
                + " -c autovacuum_naptime=1h";
        run("pg_ctl", List.of("-D", data(), "-l", log().toString(), "-o", options, "-w", "-t", "60", "start"));
    }

    /** Every session is ended as an administrator would; waits until it has stopped. */
    public void stop() throws IOException {
        run("pg_ctl", List.of("-D", data(), "-m", "fast", "-w", "-t", "60", "stop"));
    }

    /** As if the machine's power had gone, apart from its page cache: the next start recovers from the log. */
    public void crash() throws IOException {
        run("pg_ctl", List.of("-D", data(), "-m", "immediate", "-w", "-t", "60", "stop"));
    }

    synchronized void remove() {
        if (!Files.exists(directory)) {
            return;
        }
        try {
            if (Files.exists(Path.of(data(), "postmaster.pid"))) {
                crash();
            }
            deleteTree(directory);
        } catch (IOException e) {
            System.err.println("cannot remove " + directory + ": " + e.getMessage());
        }
    }

    private String data() {
        return directory.resolve("data").toString();
    }

    private Path log() {
        return directory.resolve("log");
    }

    private void run(String program, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.add(binaries.resolve("bin").resolve(program).toString());
        command.addAll(arguments);
        Path output = Files.createTempFile("ringtable-" + program, ".out"); // not a pipe: the server would inherit it
        try {
            ProcessBuilder builder = new ProcessBuilder(command);
            builder.directory(binaries.toFile());
            builder.redirectErrorStream(true).redirectOutput(output.toFile());
            builder.environment().put("LC_ALL", "C");
            int status = waitFor(builder.start());
            if (status != 0) {
                throw new IOException(String.join(" ", command) + " ended with " + status + ": "
                        + Files.readString(output)
                        + (Files.exists(log()) ? Files.readString(log()) : ""));
            }
        } finally {
            Files.delete(output);
        }
    }

    private static int waitFor(Process process) throws IOException {
        try {
            if (process.waitFor(120, TimeUnit.SECONDS)) {
                return process.exitValue();
            }
            process.destroyForcibly();
            throw new IOException("no answer for 120 s");
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    // ---- root

    /** Returns the prefix of a command that must not run as root; empty where we are not root. */
    private static List<String> wayFromRoot() throws IOException {
        if (isWindows() || !"0".equals(userId(List.of()))) {
            return List.of();
        }
        for (List<String> way : WAYS_FROM_ROOT) {
            String user = userId(way);
            if (user != null && !"0".equals(user)) {
                return way;
            }
        }
        throw new IOException("PostgreSQL does not run as root, and neither unshare, setpriv nor runuser lead away from"
                + " it here: run the tests as another user, or name a server in "
                + PostgresqlServer.URL_VARIABLE);
    }

    private static String userId(List<String> prefix) {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of("id", "-u"));
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try (InputStream answer = process.getInputStream()) {
                String user = new String(answer.readAllBytes()).strip();
                return waitFor(process) == 0 ? user : null;
            }
        } catch (IOException e) {
            return null; // there is no such program
        }
    }

    /** Under another user id the server could not write what is ours. */
    private void handOver(Path path) throws IOException {
        if (!prefix.isEmpty() && !prefix.get(0).equals("unshare")) {
            Files.setAttribute(path, "unix:uid", NOBODY);
            Files.setAttribute(path, "unix:gid", NOBODY);
        }
    }

    private static boolean isWindows() {
        return osName().startsWith("Windows");
    }

    // ---- binaries

    /** Unpacked once per machine and version, beside other temporary files. */
    private static Path binaries() throws IOException {
        String architecture = System.getProperty("os.arch").equals("amd64") ? "x86_64" : System.getProperty("os.arch");
        Path unpacked;
        try (InputStream archive = DefaultPostgresBinaryResolver.INSTANCE.getPgBinary(osName(), architecture)) {
            byte[] bytes = archive.readAllBytes();
            Path parent = Path.of(System.getProperty("java.io.tmpdir"));
            unpacked = parent.resolve("ringtable-postgresql-" + Integer.toHexString(java.util.Arrays.hashCode(bytes)));
            if (!Files.isDirectory(unpacked)) {
                Path fresh = Files.createTempDirectory(parent, "ringtable-postgresql-");
                unpack(bytes, fresh);
                try {
                    Files.move(fresh, unpacked, StandardCopyOption.ATOMIC_MOVE);
                } catch (FileSystemException e) { // an atomic move onto a full directory has no error of its own
                    deleteTree(fresh);
                    if (!Files.isDirectory(unpacked)) {
                        throw e;
                    } // else another JVM was quicker
                }
            }
        }
        return unpacked;
    }

    private static void unpack(byte[] archive, Path target) throws IOException {
        boolean posix = !isWindows();
        if (posix) {
            Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        try (TarArchiveInputStream tar = new TarArchiveInputStream(
                new BufferedInputStream(new XZInputStream(new java.io.ByteArrayInputStream(archive))))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                Path path = target.resolve(entry.getName()).normalize();
                if (!path.startsWith(target)) {
                    throw new IOException("'" + entry.getName() + "' leads out of its archive");
                }
                if (entry.isDirectory()) {
                    Files.createDirectories(path);
                } else if (entry.isSymbolicLink()) {
                    Files.createDirectories(path.getParent());
                    Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
                } else {
                    Files.createDirectories(path.getParent());
                    Files.copy(tar, path);
                    if (posix && path.getParent().endsWith("bin")) {
                        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
                    }
                }
            }
        }
    }

    private static String osName() {
        String name = System.getProperty("os.name");
        return name.toLowerCase(Locale.ROOT).startsWith("mac") ? "Darwin" : name.replaceAll("Windows.*", "Windows");
    }

    private static void deleteTree(Path root) throws IOException {
        try (Stream<Path> paths = Files.walk(root)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }
}
