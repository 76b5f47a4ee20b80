package io.ringtable.benchmarks.design;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.benchmarks.engine.Databases;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The parts of the designs, for engines too that no machine here has. */
class DesignFilesTest {
    private static final List<String> CALLS = List.of("call_accounts", "call_fill", "call_pop", "call_push");
    private static final Pattern NAMED = Pattern.compile("\\bdbo\\.(\\w+)");
    private static final Pattern MADE =
            Pattern.compile("\\bCREATE (?:TABLE|SEQUENCE|FUNCTION|PROCEDURE|VIEW) dbo\\.(\\w+)");

    @ParameterizedTest
    @ValueSource(strings = {Databases.POSTGRESQL, Databases.SQLSERVER})
    void everyPartOfAServerIsAFileAndEveryFileIsAPart(String engine) throws Exception {
        Set<String> wanted = parts(engine);
        wanted.addAll(CALLS);

        assertThat(names(engine)).isEqualTo(wanted);
    }

    @Test
    void everyPartOfSqliteIsADirectoryOrAFunctionAndEveryDirectoryIsAPart() throws Exception {
        Set<String> wanted = parts(Databases.SQLITE);
        wanted.removeIf(SlotKey::isOne);

        assertThat(names(Databases.SQLITE)).isEqualTo(wanted);
        Set<String> statements = Arrays.stream(DesignStatement.values())
                .map(DesignStatement::file)
                .collect(Collectors.toCollection(TreeSet::new));
        statements.add("create");
        for (String part : wanted) {
            assertThat(statements).as(part).containsAll(names(Databases.SQLITE + "/" + part));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {Databases.POSTGRESQL, Databases.SQLSERVER})
    void everyPartSaysItsNameAndItsSource(String engine) {
        DesignFiles files = new DesignFiles(engine);
        for (String part : parts(engine)) {
            assertThat(files.text(part).lines().filter(line -> line.startsWith("--")))
                    .as(engine + " " + part)
                    .first()
                    .asString()
                    .startsWith("-- " + part + ": ");
            assertThat(files.text(part)).as(engine + " " + part).contains("\n-- Source: ");
        }
    }

    /** The parser of T-SQL binds no names. */
    @Test
    void everyObjectThatATsqlDesignNamesIsMadeOnceByItsParts() {
        DesignFiles files = new DesignFiles(Databases.SQLSERVER);
        for (Design design : Designs.ofTheBuild().all()) {
            List<String> texts = Stream.concat(design.parts(Databases.SQLSERVER).stream(), CALLS.stream())
                    .map(part -> files.text(part).replaceAll("--[^\n]*", ""))
                    .toList();
            List<String> made = matches(MADE, texts);

            assertThat(made).as(design.name()).doesNotHaveDuplicates().containsAll(matches(NAMED, texts));
        }
    }

    private static List<String> matches(Pattern pattern, List<String> texts) {
        return texts.stream()
                .flatMap(text -> pattern.matcher(text).results())
                .map(match -> match.group(1))
                .toList();
    }

    private static Set<String> parts(String engine) {
        return Designs.ofTheBuild().all().stream()
                .filter(design -> design.whyNot(engine).isEmpty())
                .flatMap(design -> design.parts(engine).stream())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> names(String directory) throws IOException, URISyntaxException {
        Path path = Path.of(Objects.requireNonNull(
                        DesignFilesTest.class.getResource("/designs/" + directory), "designs/" + directory)
                .toURI());
        try (Stream<Path> files = Files.list(path)) {
            return files.map(file -> file.getFileName().toString().replace(".sql", ""))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }
}
