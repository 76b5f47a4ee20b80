package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.config.PropertyNames;
import io.ringtable.broker.config.Within;
import io.ringtable.broker.metrics.BrokerMetric;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code docs/operations.md} says the same as the code: each property, metric and query for operators. */
class OperationsDocTest {
    private static final Path ROOT = Path.of(System.getProperty("ringtable.root", ".."));
    private static final Path DOC = ROOT.resolve("docs/operations.md");
    private static final Path DB = ROOT.resolve("src/main/resources/db");
    private static final Pattern ROW = Pattern.compile("^\\| `(ringtable[._][^`]+)` \\| (.*) \\|$");
    private static final Pattern QUESTION =
            Pattern.compile("^\\| [^|]+[?] \\| `(\\w+)` \\| ([^|]+) \\| ([^|]+) \\| ([^|]+) \\|$");

    @Test
    void everyPropertyIsDocumentedWithItsDefaultItsRangeAndItsMeaning() throws Exception {
        Map<String, String> expected = new TreeMap<>();
        for (JsonNode property : metadata().path("properties")) {
            String name = property.path("name").asString();
            expected.put(
                    name,
                    defaultOf(property) + " | "
                            + rangeOf(name, property.path("sourceType").asString()) + " | "
                            + property.path("description").asString());
        }

        assertThat(rows("ringtable.")).isEqualTo(expected);
    }

    @Test
    void whatTheBrokerKnowsIsWhatTheMetadataDescribes() throws Exception {
        List<String> described = new ArrayList<>();
        metadata()
                .path("properties")
                .forEach(property -> described.add(property.path("name").asString()));

        TreeSet<String> known = new TreeSet<>();
        for (String name : PropertyNames.ofBroker().names()) {
            known.add(name.replaceAll("\\[].*", ""));
        }
        assertThat(described).containsExactlyInAnyOrderElementsOf(known);
    }

    @Test
    void everyMetricIsDocumentedWithItsMeaningAndWhatToDo() throws Exception {
        Map<String, String> documented = rows("ringtable_");

        assertThat(documented.keySet())
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(BrokerMetric.values())
                        .map(BrokerMetric::prometheusName)
                        .toList());
        for (BrokerMetric metric : BrokerMetric.values()) {
            assertThat(documented.get(metric.prometheusName()))
                    .as(metric.prometheusName())
                    .startsWith(metric.meaning() + " | ")
                    .hasSizeGreaterThan(metric.meaning().length() + 10);
        }
    }

    @Test
    void everyQueryIsListedByItsQuestionWithTheEnginesThatHaveIt() throws IOException {
        List<String> engines = List.of("sqlite", "postgresql", "sqlserver"); // as the columns stand
        Map<String, List<String>> listed = new TreeMap<>();
        for (String line : Files.readAllLines(DOC)) {
            Matcher question = QUESTION.matcher(line);
            if (question.matches()) {
                List<String> having = new ArrayList<>();
                for (int i = 0; i < engines.size(); i++) {
                    assertThat(question.group(i + 2)).as(line).matches("(yes|no)(, .+)?");
                    if (question.group(i + 2).startsWith("yes")) {
                        having.add(engines.get(i));
                    }
                }
                assertThat(listed.put(question.group(1), having)).as(line).isNull();
            }
        }
        Map<String, List<String>> found = new TreeMap<>();
        for (String engine : engines) {
            try (Stream<Path> files = Files.list(DB.resolve(engine).resolve("operations"))) {
                files.map(file -> file.getFileName().toString().replace(".sql", ""))
                        .forEach(query -> found.computeIfAbsent(query, q -> new ArrayList<>())
                                .add(engine));
            }
        }
        assertThat(listed).isEqualTo(found);
    }

    private static Map<String, String> rows(String prefix) throws IOException {
        Map<String, String> rows = new TreeMap<>();
        for (String line : Files.readAllLines(DOC)) {
            Matcher row = ROW.matcher(line);
            if (row.matches() && row.group(1).startsWith(prefix)) {
                assertThat(rows.put(row.group(1), row.group(2)))
                        .as("second row of " + row.group(1))
                        .isNull();
            }
        }
        return rows;
    }

    private static JsonNode metadata() throws IOException {
        try (InputStream json =
                OperationsDocTest.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            return JsonMapper.shared().readTree(json);
        }
    }

    private static String defaultOf(JsonNode property) {
        JsonNode value = property.path("defaultValue");
        return value.isMissingNode() || value.isArray() ? "none" : "`" + value.asString() + "`";
    }

    private static String rangeOf(String name, String sourceType) throws ClassNotFoundException {
        Class<?> type = Class.forName(sourceType);
        ConfigurationProperties group = type.getAnnotation(ConfigurationProperties.class);
        for (Field field : type.getDeclaredFields()) {
            Within range = field.getAnnotation(Within.class);
            if (group != null
                    && range != null
                    && name.equals(group.value() + "." + DataObjectPropertyName.toDashedForm(field.getName()))) {
                return (range.orZero() ? "0, or " : "") + range.min() + " to " + range.max();
            }
        }
        return "";
    }
}
