package io.ringtable.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Names what the build has packed, and unpacks it with the tools that a user has. */
final class Archives {
    static final Path ROOT =
            Path.of(System.getProperty("ringtable.root", "..")).toAbsolutePath().normalize();
    static final String VERSION = System.getProperty("ringtable.version");

    private Archives() {}

    /** Returns the directory that the archive makes below the given one. */
    static Path untar(Path directory) throws IOException, InterruptedException {
        Shell.run(directory, "tar", "-xzf", packed(".tar.gz").toString()).succeeded();
        return directory.resolve("ringtable-" + VERSION);
    }

    /** Returns the directory that the archive makes below the given one. */
    static Path unzip(Path directory) throws IOException, InterruptedException {
        Shell.run(directory, "unzip", "-q", packed(".zip").toString()).succeeded();
        return directory.resolve("ringtable-" + VERSION);
    }

    private static Path packed(String ending) {
        Path file = ROOT.resolve("distribution/target/ringtable-" + VERSION + ending);
        assertThat(file).as("./mvnw -DskipTests package writes it").isRegularFile();
        return file;
    }

    /** Returns permissions and size of each file below a directory, by its path from there. */
    static Map<String, String> listing(Path directory) throws IOException {
        Map<String, String> files = new TreeMap<>();
        try (Stream<Path> walk = Files.walk(directory)) {
            for (Path file : walk.filter(Files::isRegularFile).toList()) {
                files.put(
                        directory.relativize(file).toString(),
                        PosixFilePermissions.toString(Files.getPosixFilePermissions(file)) + " " + Files.size(file));
            }
        }
        return files;
    }
}
