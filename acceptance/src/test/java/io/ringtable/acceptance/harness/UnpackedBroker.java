package io.ringtable.acceptance.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;

/**
 * Names the unpacked broker that the build lays beside the executable jar, with an archive of its classes. A start then
 * takes half of the processor time, and the tests start the broker some hundred times.
 */
final class UnpackedBroker {
    private UnpackedBroker() {}

    /** Returns the rest of the command, after the options of the JVM. */
    static List<String> command(Path jar) {
        String name = jar.getFileName().toString();
        Path directory = jar.resolveSibling(name.substring(0, name.lastIndexOf('.')));
        Path options = directory.resolve("java-" + Runtime.version().feature() + ".options");
        assertThat(options)
                .as("the options for the archive of the broker's classes; ./mvnw -DskipTests package writes both")
                .isRegularFile();
        return List.of("@" + options, "-jar", directory.resolve(name).toString());
    }
}
