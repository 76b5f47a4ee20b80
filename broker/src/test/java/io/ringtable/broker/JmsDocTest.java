package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code docs/jms.md} claims nothing without a test, and the tests that it names exist. */
class JmsDocTest {
    private static final Path ROOT = Path.of(System.getProperty("ringtable.root", ".."));
    private static final Path DOC = ROOT.resolve("docs/jms.md");
    /** Section, what it is about, whether it is supported, how, and by which tests that is held. */
    private static final Pattern ROW = Pattern.compile(
            "^\\| (\\d[^|]*) \\| ([^|]*) \\| (yes|client|not yet|no) \\| ([^|]*)\\| ([^|]*)\\|$", Pattern.MULTILINE);

    private static final Pattern TEST = Pattern.compile("`([A-Z]\\w*(?:Test|Contract))`");

    @Test
    void whateverIsSupportedNamesItsTests() throws IOException {
        List<String> bare = rows().filter(row -> row.group(3).equals("yes"))
                .filter(row -> !TEST.matcher(row.group(5)).find())
                .map(row -> row.group(1) + row.group(2))
                .toList();
        assertThat(bare).isEmpty();
    }

    @Test
    void theTestsThatItNamesExist() throws IOException {
        assertThat(tests()).containsAll(named());
    }

    @Test
    void everyAcceptanceTestOfJmsIsNamed() throws IOException {
        Set<String> acceptance = new TreeSet<>();
        try (Stream<Path> files = Files.list(ROOT.resolve("acceptance/src/test/java/io/ringtable/acceptance/jms"))) {
            files.map(JmsDocTest::className)
                    .filter(name -> name.endsWith("Test"))
                    .forEach(acceptance::add);
        }
        assertThat(acceptance).isNotEmpty();
        assertThat(named()).containsAll(acceptance);
    }

    @Test
    void everyRowOfItsTablesIsOneOfThose() throws IOException {
        long lines = Files.readAllLines(DOC).stream()
                .filter(line -> line.matches("\\| \\d.*"))
                .count();
        assertThat(rows().count()).isEqualTo(lines).isGreaterThan(50);
    }

    private static Stream<MatchResult> rows() throws IOException {
        return ROW.matcher(Files.readString(DOC)).results();
    }

    private static Set<String> named() throws IOException {
        Set<String> named = new TreeSet<>();
        TEST.matcher(Files.readString(DOC)).results().forEach(match -> named.add(match.group(1)));
        return named;
    }

    private static Set<String> tests() throws IOException {
        Set<String> tests = new TreeSet<>();
        for (String module : List.of("broker", "client", "cli", "acceptance", "examples")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/test/java"))) {
                files.map(JmsDocTest::className).forEach(tests::add);
            }
        }
        return tests;
    }

    private static String className(Path file) {
        return file.getFileName().toString().replaceFirst("\\.java$", "");
    }
}
