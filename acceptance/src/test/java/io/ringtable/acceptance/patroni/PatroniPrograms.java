package io.ringtable.acceptance.patroni;

import io.ringtable.acceptance.harness.Required;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds the programs that a Patroni cluster needs, or skips the test with the cure. */
record PatroniPrograms(Path binaries, List<String> asUser) {
    /** Of nobody, who is no one else's: PostgreSQL refuses to run as root. */
    static final int USER = 65_534;

    private static final int VERSION_MIN = 4; // of Patroni
    private static final String CURE = ". Install them: apt-get install --no-install-recommends postgresql etcd-server,"
            + " and pip install 'patroni[etcd3]' psycopg2-binary";

    static PatroniPrograms find() {
        require("patroni", "--version");
        requireVersion();
        require("etcd", "--version");
        Path binaries = newest().orElseThrow(
                        () -> missing("no directory has pg_rewind, pg_basebackup and initdb of PostgreSQL 15 to 18"));
        if (!"root".equals(System.getProperty("user.name"))) {
            return new PatroniPrograms(binaries, List.of());
        }
        require("setpriv", "--version");
        return new PatroniPrograms(
                binaries, List.of("setpriv", "--reuid=" + USER, "--regid=" + USER, "--clear-groups"));
    }

    private static void require(String... command) {
        String failure = Required.failureOf(command);
        if (failure != null) {
            throw missing(failure);
        }
    }

    /** An earlier version that stood still takes the leader's key back, and undoes what the next one has stored. */
    private static void requireVersion() {
        String output;
        try {
            output = new String(new ProcessBuilder("patroni", "--version")
                    .start()
                    .getInputStream()
                    .readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Matcher version = Pattern.compile("(\\d+)\\.").matcher(output);
        if (!version.find() || Integer.parseInt(version.group(1)) < VERSION_MIN) {
            throw missing("'" + output.strip() + "' is older than version " + VERSION_MIN);
        }
    }

    private static AssertionError missing(String why) {
        return Required.missing("tools.required", "patroni", why + CURE);
    }

    /** The newest, as Debian has them, before those on the path. */
    private static Optional<Path> newest() {
        Stream<Path> onPath = Stream.of(System.getenv("PATH").split(":")).map(Path::of);
        return Stream.concat(versions(Path.of("/usr/lib/postgresql")), onPath)
                .filter(directory -> Stream.of("pg_rewind", "pg_basebackup", "initdb")
                        .allMatch(program -> Files.isExecutable(directory.resolve(program))))
                .findFirst();
    }

    private static Stream<Path> versions(Path parent) {
        if (!Files.isDirectory(parent)) {
            return Stream.of();
        }
        try (Stream<Path> versions = Files.list(parent)) {
            return versions
                    .filter(version -> List.of("15", "16", "17", "18")
                            .contains(version.getFileName().toString()))
                    .sorted(Comparator.reverseOrder())
                    .map(version -> version.resolve("bin"))
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
