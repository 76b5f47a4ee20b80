package io.ringtable.containers;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * An image in a tar, unpacked as a container runtime does it: one layer over the other.
 *
 * @param root the file system
 * @param configuration what the image says of its process
 */
record Image(Path root, JsonNode configuration) {

    /** Unpacks it into a directory, which must not be there yet. */
    static Image unpack(Path tar, Path directory) throws IOException {
        Path layers = Files.createDirectories(directory.resolve("layers"));
        Path root = Files.createDirectories(directory.resolve("root"));
        run("tar", "-xf", tar.toString(), "-C", layers.toString());
        JsonMapper json = new JsonMapper();
        JsonNode manifest =
                json.readTree(Files.readString(layers.resolve("manifest.json"))).get(0);
        for (JsonNode layer : manifest.get("Layers")) {
            run("tar", "-xzf", layers.resolve(layer.asString()).toString(), "-C", root.toString());
        }
        String configuration = manifest.get("Config").asString();
        return new Image(root, json.readTree(Files.readString(layers.resolve(configuration))));
    }

    List<String> entrypoint() {
        return strings(configuration.at("/config/Entrypoint"));
    }

    Map<String, String> environment() {
        Map<String, String> environment = new HashMap<>();
        for (String variable : strings(configuration.at("/config/Env"))) {
            int equals = variable.indexOf('=');
            environment.put(variable.substring(0, equals), variable.substring(equals + 1));
        }
        return environment;
    }

    String user() {
        return configuration.at("/config/User").asString();
    }

    String architecture() {
        return configuration.get("architecture").asString();
    }

    private static List<String> strings(JsonNode array) {
        return array.valueStream().map(JsonNode::asString).toList();
    }

    static String run(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes());
        try {
            assertThat(process.waitFor()).as("%s%n%s", List.of(command), output).isZero();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
        return output;
    }
}
