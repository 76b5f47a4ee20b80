package io.ringtable.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Holds the commented configuration file against the properties that the broker has. */
class ConfigurationFileTest {
    private static final Pattern COMMENTED = Pattern.compile("^# ((?:ringtable|server)\\.[a-z.-]+):(.*)$");
    /** Examples instead of defaults: these properties have none. */
    private static final List<String> EXAMPLES = List.of(
            "ringtable.store.url",
            "ringtable.store.username",
            "ringtable.stores",
            "ringtable.security.users",
            "ringtable.security.rules",
            "ringtable.queues",
            "ringtable.topics",
            "ringtable.dispatch.addresses");

    @Test
    void everyPropertyIsThereWithItsDefaultAndAnExplanation() throws Exception {
        Map<String, String> commented = new TreeMap<>();
        List<String> lines = Files.readAllLines(Archives.ROOT.resolve("distribution/src/main/conf/application.yaml"));
        for (int at = 1; at < lines.size(); at++) {
            Matcher property = COMMENTED.matcher(lines.get(at));
            if (property.matches() && !EXAMPLES.contains(property.group(1))) {
                commented.put(property.group(1), property.group(2).strip());
                assertThat(lines.get(at - 1))
                        .as("the line before %s", property.group())
                        .matches("# .*\\.");
            }
        }
        Map<String, String> expected = properties();
        EXAMPLES.forEach(expected::remove);
        expected.put("server.address", "127.0.0.1");
        expected.put("server.port", "8161");

        assertThat(commented).isEqualTo(expected);
        assertThat(lines).allMatch(line -> line.isEmpty() || line.startsWith("#"));
        assertThat(EXAMPLES).allMatch(name -> lines.stream().anyMatch(line -> line.startsWith("# " + name + ":")));
    }

    private static Map<String, String> properties() throws IOException {
        Map<String, String> defaults = new TreeMap<>();
        Enumeration<URL> files = ConfigurationFileTest.class
                .getClassLoader()
                .getResources("META-INF/spring-configuration-metadata.json");
        for (URL file : Collections.list(files)) {
            try (InputStream in = file.openStream()) {
                for (JsonNode property : JsonMapper.shared().readTree(in).path("properties")) {
                    String name = property.path("name").asString();
                    if (name.startsWith("ringtable.")) {
                        defaults.put(name, property.path("defaultValue").asString(""));
                    }
                }
            }
        }
        assertThat(defaults).hasSizeGreaterThan(70);
        return defaults;
    }
}
