package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Holds what {@code docs/ARCHITECTURE.md} says of classes. They are where its tables put them, the ways it shows are
 * short, and names of public classes are made of its words.
 */
class CodeMapTest {
    private static final String ARCHITECTURE =
            RepositoryFiles.text(RepositoryFiles.root().resolve("docs").resolve("ARCHITECTURE.md"));
    private static final String BROKER = "broker/src/main/java/io/ringtable/broker/";
    private static final Pattern MAIN_SOURCE =
            Pattern.compile("(broker|client|wire)/src/main/java/(?!.*/internal/).*\\.java");
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern CLASS = Pattern.compile("[A-Z][a-z][A-Za-z0-9]*");
    private static final Pattern PUBLIC = Pattern.compile(
            "^public (?:(?:abstract|final|sealed|non-sealed) )*(?:class|interface|record|enum|@interface) ",
            Pattern.MULTILINE);
    /** One list of words, which may have several lines. */
    private static final Pattern USUAL =
            Pattern.compile("^- \\*\\*[^*]+:\\*\\*((?:(?!\\n- |\\n\\n).)*)", Pattern.MULTILINE | Pattern.DOTALL);

    private static final int WAY_MAX = 6;

    /** The maps whose rows have the whole names of packages, by module. */
    private static final Map<String, String> MAPS = Map.of(
            "client", "Code map of the client",
            "cli", "Code map of the command line",
            "spring/core", "Code map of the Spring module",
            "spring/starter", "Code map of the starter");

    private static final String COMMAND_LINE = "io.ringtable.cli";
    private static final SourcePackages PACKAGES = SourcePackages.ofAllModules();

    @Test
    void classesAreInThePackagesThatTheMapNames() {
        Set<String> files = namesOfMainSources();
        List<String> absent = new ArrayList<>();
        for (String row : rows("Code map")) {
            String[] cells = row.split("\\|");
            List<String> packages = codes(cells[1]);
            if (packages.isEmpty() || packages.stream().anyMatch(name -> !name.matches("[a-z.<>]+"))) {
                continue; // the root, and the ways
            }
            for (String name : codes(cells[2])) {
                Matcher matcher = CLASS.matcher(name);
                if (matcher.lookingAt()
                        && packages.stream()
                                .noneMatch(at -> files.contains(
                                        BROKER + at.replace('.', '/') + "/" + matcher.group() + ".java"))) {
                    absent.add(name + " in " + packages);
                }
            }
        }
        assertThat(absent).isEmpty();
    }

    @Test
    void mapsOfOtherModulesHaveEachPackageWithItsClasses() {
        MAPS.forEach((module, map) -> {
            Map<String, Set<String>> there = PACKAGES.ofModule(module);
            Map<String, List<String>> mapped = packageRows(map, 2);
            assertThat(mapped.keySet()).as(map).isEqualTo(there.keySet());
            mapped.forEach((name, codes) -> assertThat(there.get(name))
                    .as(name)
                    .containsAll(codes.stream()
                            .filter(code -> CLASS.matcher(code).matches())
                            .toList()));
        });
    }

    @Test
    void packagesOfTheCommandLineKnowWhatTheirMapSays() {
        Map<String, Set<String>> known = PACKAGES.known();
        packageRows(MAPS.get("cli"), 3)
                .forEach((name, codes) -> assertThat(known.get(name).stream()
                                .filter(other -> other.startsWith(COMMAND_LINE + "."))
                                .map(other -> other.substring(COMMAND_LINE.length() + 1)))
                        .as(name)
                        .containsExactlyInAnyOrderElementsOf(codes));
    }

    /** The rows of a map by the name of their package, each with the codes of one of its cells. */
    private static Map<String, List<String>> packageRows(String map, int cell) {
        Map<String, List<String>> mapped = new TreeMap<>();
        for (String row : rows(map)) {
            String[] cells = row.split("\\|");
            codes(cells[1]).forEach(name -> mapped.put(name, codes(cells[cell])));
        }
        return mapped;
    }

    @Test
    void waysAreShortAndTheirClassesAreThere() {
        Set<String> files = namesOfMainSources();
        int ways = 0;
        for (String row : rows("Code map")) {
            String[] cells = row.split("\\|");
            List<String> steps = codes(cells[2]);
            if (codes(cells[1]).isEmpty() && steps.stream().anyMatch(step -> step.matches("[a-z.]+\\.[A-Z]\\w+"))) {
                ways++;
                assertThat(steps)
                        .as(cells[1])
                        .hasSizeLessThanOrEqualTo(WAY_MAX)
                        .allSatisfy(step -> assertThat(files).contains(BROKER + step.replace('.', '/') + ".java"));
            }
        }
        assertThat(ways).isGreaterThanOrEqualTo(4);
    }

    /** A word is known if it stands in the dictionary, or below it among the words in their usual sense. */
    @Test
    void namesOfPublicClassesAreMadeOfKnownWords() {
        Set<String> known = knownWords();
        Map<String, Set<String>> unknown = new TreeMap<>();
        for (Path file : RepositoryFiles.where(path -> MAIN_SOURCE.matcher(path).matches())) {
            if (PUBLIC.matcher(RepositoryFiles.text(file)).find()) {
                String name = file.getFileName().toString().replace(".java", "");
                for (String word : words(name)) {
                    if (!known.contains(singular(word))) {
                        unknown.computeIfAbsent(word, any -> new TreeSet<>()).add(name);
                    }
                }
            }
        }
        assertThat(unknown).as("words that ARCHITECTURE.md does not have").isEmpty();
    }

    @Test
    void noWordIsKeptThatNoNameHas() {
        Set<String> used = new HashSet<>();
        for (Path file : RepositoryFiles.where(path -> MAIN_SOURCE.matcher(path).matches())) {
            words(file.getFileName().toString().replace(".java", "")).forEach(word -> used.add(singular(word)));
        }
        assertThat(usualWords().stream().map(CodeMapTest::singular).filter(word -> !used.contains(word)))
                .isEmpty();
    }

    private static Set<String> knownWords() {
        Set<String> known =
                usualWords().stream().map(CodeMapTest::singular).collect(Collectors.toCollection(HashSet::new));
        for (String row : rows("Words")) {
            for (MatchResult bold : Pattern.compile("\\*\\*([^*]+)\\*\\*")
                    .matcher(row)
                    .results()
                    .toList()) {
                Arrays.stream(bold.group(1).toLowerCase(Locale.ROOT).split("[^a-z]+"))
                        .map(CodeMapTest::singular)
                        .forEach(known::add);
            }
        }
        return known;
    }

    /** The lists below the dictionary: words in their usual sense. */
    private static Set<String> usualWords() {
        return USUAL.matcher(section("Words"))
                .results()
                .flatMap(list -> Arrays.stream(list.group(1).split("[^a-z0-9]+")))
                .filter(word -> !word.isEmpty())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<String> words(String name) {
        return Arrays.stream(name.split("(?<=[a-z0-9])(?=[A-Z])"))
                .map(word -> word.toLowerCase(Locale.ROOT))
                .toList();
    }

    private static String singular(String word) {
        if (word.endsWith("ies")) {
            return word.substring(0, word.length() - 3) + "y";
        }
        if (word.endsWith("sses")) {
            return word.substring(0, word.length() - 2);
        }
        return word.endsWith("s") && !word.endsWith("ss") ? word.substring(0, word.length() - 1) : word;
    }

    private static Set<String> namesOfMainSources() {
        return RepositoryFiles.where(path -> path.startsWith(BROKER)).stream()
                .map(RepositoryFiles::name)
                .collect(Collectors.toSet());
    }

    private static List<String> codes(String cell) {
        return CODE.matcher(cell).results().map(match -> match.group(1)).toList();
    }

    /** The rows of a section's tables, without heads. */
    private static List<String> rows(String section) {
        return section(section)
                .lines()
                .filter(line -> line.startsWith("|") && !line.startsWith("|---"))
                .toList();
    }

    private static String section(String title) {
        int begin = ARCHITECTURE.indexOf("\n## " + title + "\n");
        assertThat(begin).as("section " + title).isPositive();
        int end = ARCHITECTURE.indexOf("\n## ", begin + 1);
        return ARCHITECTURE.substring(begin, end < 0 ? ARCHITECTURE.length() : end);
    }
}
