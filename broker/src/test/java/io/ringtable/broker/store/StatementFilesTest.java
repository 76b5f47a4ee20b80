package io.ringtable.broker.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The SQL stands in files that a database administrator finds and reads. That each statement prepares on its real
 * engine is in {@link SchemaContract}.
 */
class StatementFilesTest {
    private static final Path ROOT = Path.of(System.getProperty("ringtable.root", ".."));
    private static final Path DB = ROOT.resolve("src/main/resources/db");

    /** Names the verbs of every engine, each in one file or in several. */
    private static final Set<String> VERBS = Set.of(
            "acquire", "alter", "discard", "flush", "lay", "read", "reclaim", "recover", "stage", "unstage", "verify");

    private static final List<String> HEAD = List.of(
            "-- %s: .+[.]", "-- Called by:   .+", "-- Locks:       .+", "-- Access path: .+", "-- Changes:     .+");

    /** A call of a procedure, of a function. */
    private static final Pattern CALL =
            Pattern.compile("EXECUTE ringtable[.]\\w+([^;]*);|ringtable[.]\\w+\\(([^()]*)\\)");

    static List<String> engines() throws IOException {
        try (Stream<Path> folders = Files.list(DB)) {
            return folders.filter(folder -> Files.isDirectory(folder.resolve("statements")))
                    .map(folder -> folder.getFileName().toString())
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("engines")
    void everyVerbHasItsFile(String engine) throws IOException {
        assertThat(names(engine, "statements").stream()
                        .map(name -> name.replaceAll("_.*", ""))
                        .collect(Collectors.toSet()))
                .containsAll(VERBS);
    }

    @ParameterizedTest
    @MethodSource("engines")
    void everyFileIsAStatementThatTheCodeNamesAndTheOtherWayRound(String engine) throws Exception {
        String name = engine.substring(0, 1).toUpperCase(Locale.ROOT) + engine.substring(1);
        Class<?> statements = Class.forName("io.ringtable.broker.store." + engine + "." + name + "Statement");
        Set<String> constants = Stream.of(statements.getEnumConstants())
                .map(constant -> ((Enum<?>) constant).name().toLowerCase(Locale.ROOT))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(names(engine, "statements")).isEqualTo(constants);

        String code = sources(engine);
        assertThat(constants)
                .as("statements that are never run")
                .allSatisfy(constant -> assertThat(code).contains("Statement." + constant.toUpperCase(Locale.ROOT)));
    }

    @ParameterizedTest
    @MethodSource("engines")
    void everyStatementHasItsPlanAsserted(String engine) throws IOException {
        assertThat(ExpectedPlans.of(engine).keySet()).isEqualTo(names(engine, "statements"));
    }

    @ParameterizedTest
    @MethodSource("engines")
    void everyFileBeginsWithTheSameFiveLines(String engine) throws IOException {
        for (String folder : List.of("statements", "procedures", "operations")) {
            for (String name : names(engine, folder)) {
                List<String> lines =
                        Files.readAllLines(DB.resolve(engine).resolve(folder).resolve(name + ".sql"));
                assertThat(lines).as(name).hasSizeGreaterThan(HEAD.size());
                for (int i = 0; i < HEAD.size(); i++) {
                    assertThat(lines.get(i))
                            .as(name)
                            .matches(Pattern.compile(HEAD.get(i).formatted(name)));
                }
                assertThat(lines).as(name).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(120));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("engines")
    void everyProcedureStandsAloneInTheFileOfItsName(String engine) throws IOException {
        for (String name : names(engine, "procedures")) {
            String sql =
                    Files.readString(DB.resolve(engine).resolve("procedures").resolve(name + ".sql"));
            assertThat(Pattern.compile(
                                    "^CREATE (?:OR REPLACE )?(?:FUNCTION|PROCEDURE) ringtable[.](\\w+)",
                                    Pattern.MULTILINE)
                            .matcher(sql)
                            .results()
                            .map(created -> created.group(1)))
                    .as(name)
                    .hasSize(1)
                    .allMatch(created -> created.equals(name) || name.equals(created + "_bytes"));
        }
    }

    @ParameterizedTest
    @MethodSource("engines")
    void whatAProcedureIsGivenIsNamed(String engine) throws IOException {
        for (String name : names(engine, "statements")) {
            String sql =
                    Files.readString(DB.resolve(engine).resolve("statements").resolve(name + ".sql"));
            Matcher call = CALL.matcher(sql);
            while (call.find()) {
                String given = call.group(1) != null ? call.group(1) : call.group(2);
                assertThat(given.replaceAll("\\w+ (=>|=) [?]", "")).as(name).doesNotContain("?");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("engines")
    void whoeverCallsAProcedureHasItsName(String engine) throws IOException {
        for (String name : names(engine, "statements")) {
            String sql =
                    Files.readString(DB.resolve(engine).resolve("statements").resolve(name + ".sql"));
            Matcher call = Pattern.compile(
                            "^(?:EXECUTE|SELECT|FROM) ringtable[.](\\w+)(?:\\(| @|\\n)", Pattern.MULTILINE)
                    .matcher(sql);
            while (call.find()) {
                if (names(engine, "procedures").contains(call.group(1))) {
                    assertThat(call.group(1)).isEqualTo(name);
                }
            }
        }
    }

    /** The table of {@code db/README.md} names each verb, or part of one, that not every engine has, and who has it. */
    @Test
    void aNameThatNotEveryEngineHasIsListedWithItsEngines() throws IOException {
        List<String> engines = engines();
        Map<String, Set<String>> holders = new TreeMap<>(); // of names that are not everywhere
        for (String engine : engines) {
            Set<String> names = new TreeSet<>(names(engine, "statements"));
            names.addAll(names(engine, "procedures"));
            names.forEach(
                    name -> holders.computeIfAbsent(name, n -> new TreeSet<>()).add(engine));
        }
        holders.values().removeIf(having -> having.size() == engines.size());

        Map<String, Set<String>> listed = new TreeMap<>();
        Matcher row = Pattern.compile("^[|] (`[^|]+`) [|] ([^|]+) [|] [^|]+ [|]$", Pattern.MULTILINE)
                .matcher(Files.readString(DB.resolve("README.md"))
                        .split("## The same verbs")[1]
                        .split("\n## ")[0]);
        while (row.find()) {
            Set<String> having = Stream.of(row.group(2).split(", "))
                    .map(engine -> engine.toLowerCase(Locale.ROOT).replace(" ", ""))
                    .collect(Collectors.toCollection(TreeSet::new));
            for (String name : row.group(1).replace("`", "").split(", ")) {
                listed.put(name, having);
            }
        }
        Map<String, Set<String>> found = new TreeMap<>();
        holders.forEach((name, having) -> found.computeIfAbsent(listedAs(name, listed.keySet()), n -> new TreeSet<>())
                .addAll(having));
        assertThat(found).isEqualTo(listed);
    }

    /** The name itself, or the family that it is of. */
    private static String listedAs(String name, Set<String> listed) {
        if (listed.contains(name)) {
            return name;
        }
        return listed.stream()
                .filter(family -> family.endsWith("_*") && name.startsWith(family.substring(0, family.length() - 1)))
                .findFirst()
                .orElse(name);
    }

    private static Set<String> names(String engine, String folder) throws IOException {
        Path directory = DB.resolve(engine).resolve(folder);
        if (!Files.isDirectory(directory)) {
            return Set.of();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(file -> file.endsWith(".sql"))
                    .map(file -> file.replaceAll("[.]sql$", ""))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static String sources(String engine) throws IOException {
        Path folder =
                ROOT.resolve("broker/src/main/java/io/ringtable/broker/store").resolve(engine);
        StringBuilder all = new StringBuilder();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                all.append(Files.readString(file));
            }
        }
        return all.toString();
    }
}
