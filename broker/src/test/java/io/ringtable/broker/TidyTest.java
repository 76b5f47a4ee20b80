package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Holds promises about the code of every module that no compiler checks. */
class TidyTest {
    private static final Pattern SQL = Pattern.compile(
            "\"\\s*(SELECT\\s.+\\sFROM\\s|INSERT\\s+INTO\\s|UPDATE\\s+\\w+\\s+SET\\s|DELETE\\s+FROM\\s"
                    + "|CREATE\\s+(TABLE|INDEX|VIEW|SEQUENCE|FUNCTION)\\s"
                    + "|ALTER\\s+TABLE\\s|TRUNCATE\\s|DROP\\s+TABLE\\s|MERGE\\s+INTO\\s)",
            Pattern.CASE_INSENSITIVE);
    private static final Pattern UNFINISHED = Pattern.compile("\\b(TODO|FIXME|XXX)\\b");
    private static final Pattern CODE = Pattern.compile("RT-(\\d{4})");

    @Test
    void everyPackageSaysWhatItOwnsAndOnWhichThread() {
        List<String> silent = new ArrayList<>();
        for (Path file : javaFiles("main")) {
            Path info = file.resolveSibling("package-info.java");
            if (!Files.exists(info)) {
                silent.add(RepositoryFiles.name(file.getParent()) + " has no package-info.java");
            } else if (file.getFileName().toString().equals("package-info.java")
                    && !Pattern.compile("thread", Pattern.CASE_INSENSITIVE)
                            .matcher(RepositoryFiles.text(file))
                            .find()) {
                silent.add(RepositoryFiles.name(file) + " does not name its thread");
            }
        }
        assertThat(silent).isEmpty();
    }

    @Test
    void sqlStandsInFiles() {
        assertThat(lines("main", line -> SQL.matcher(line).find())).isEmpty();
    }

    @Test
    void nothingIsLeftForLater() {
        String self = TidyTest.class.getSimpleName() + ".java";
        List<String> found = lines("main", line -> UNFINISHED.matcher(line).find());
        lines(
                        "test",
                        line -> UNFINISHED.matcher(line).find()
                                || line.contains("@Disabled")
                                || line.contains("Thread.sleep"))
                .stream()
                .filter(hit -> !hit.contains(self))
                .forEach(found::add);
        assertThat(found).isEmpty();
    }

    @Test
    void codesOfErrorsStayInTheRangeOfTheirPart() {
        List<String> strangers = new ArrayList<>();
        for (Path file : javaFiles("main")) {
            CODE.matcher(RepositoryFiles.text(file))
                    .results()
                    .map(match -> match.group(1))
                    .forEach(code -> {
                        if (code.charAt(0) < '1' || code.charAt(0) > '7') {
                            strangers.add("RT-" + code + " in " + RepositoryFiles.name(file));
                        }
                    });
        }
        assertThat(strangers).isEmpty();
    }

    /** A text for one peer may have another peer's text in it. */
    @Test
    void conditionsAreMadeWhereTheirTextIsCleaned() {
        assertThat(lines("main", line -> line.contains("new ErrorCondition(")))
                .isNotEmpty()
                .allMatch(hit -> hit.startsWith("client/") || hit.contains("/amqp/link/Conditions.java:"));
    }

    private static List<String> lines(String part, Predicate<String> wanted) {
        List<String> hits = new ArrayList<>();
        for (Path file : javaFiles(part)) {
            int number = 0;
            for (String line : RepositoryFiles.text(file).lines().toList()) {
                number++;
                if (wanted.test(line)) {
                    hits.add(RepositoryFiles.name(file) + ":" + number + ": " + line.strip());
                }
            }
        }
        return hits;
    }

    private static List<Path> javaFiles(String part) {
        return RepositoryFiles.where(name -> name.endsWith(".java")
                && name.contains("/src/" + part + "/java/")
                && !name.startsWith("examples/first-project/")); // projects of newcomers, outside of this build
    }
}
