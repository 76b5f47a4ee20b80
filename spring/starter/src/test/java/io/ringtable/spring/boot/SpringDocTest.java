package io.ringtable.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code docs/spring.md} lists each property as the metadata that editors show describes it. */
class SpringDocTest {
    private static final Path DOC = Path.of(System.getProperty("ringtable.root", "../.."), "docs/spring.md");
    private static final String METADATA = "/META-INF/spring-configuration-metadata.json";
    private static final Pattern ROW = Pattern.compile("\\| `(ringtable\\.client\\.[^`]+)` \\| (.*) \\|");

    @Test
    void everyPropertyIsDocumentedWithItsDefaultAndItsMeaning() throws IOException {
        Map<String, String> expected = new TreeMap<>();
        try (InputStream in = getClass().getResourceAsStream(METADATA)) {
            for (JsonNode property : JsonMapper.shared().readTree(in).path("properties")) {
                expected.put(property.path("name").asString(), row(property));
            }
        }
        assertThat(expected).hasSizeGreaterThan(30);
        assertThat(expected.values()).as("with a description").noneMatch(row -> row.endsWith("| "));

        Map<String, String> documented = new TreeMap<>();
        for (String line : Files.readAllLines(DOC)) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                documented.put(row.group(1), row.group(2));
            }
        }
        assertThat(documented).isEqualTo(expected);
    }

    private static String row(JsonNode property) {
        JsonNode given = property.path("defaultValue");
        String value = given.isMissingNode() ? "none" : "`" + given.asString() + "`";
        return value + " | " + property.path("description").asString();
    }
}
