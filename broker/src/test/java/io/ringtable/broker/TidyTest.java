package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Promises about the sources that no compiler checks, for every module. */
class TidyTest {
    private static final Path ROOT = Path.of(System.getProperty("ringtable.root", ".."));

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
                silent.add(ROOT.relativize(file.getParent()) + " has no package-info.java");
            } else if (file.getFileName().toString().equals("package-info.java")
                    && !Pattern.compile("thread", Pattern.CASE_INSENSITIVE)
                            .matcher(read(file))
                            .find()) {
                silent.add(ROOT.relativize(file) + " does not name its thread");
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
            CODE.matcher(read(file)).results().map(match -> match.group(1)).forEach(code -> {
                if (code.charAt(0) < '1' || code.charAt(0) > '6') {
                    strangers.add("RT-" + code + " in " + ROOT.relativize(file));
                }
            });
        }
        assertThat(strangers).isEmpty();
    }

    /** Checks that conditions come from one place, which cleans their text: another peer's text may be in it. */
    @Test
    void conditionsAreMadeWhereTheirTextIsCleaned() {
        assertThat(lines("main", line -> line.contains("new ErrorCondition(")))
                .isNotEmpty()
                .allMatch(hit -> hit.startsWith("client/") || hit.contains("/amqp/link/Conditions.java:"));
    }

    @Test
    void classesStaySmallEnoughToRead() {
        List<String> giants = new ArrayList<>();
        for (Path file : javaFiles("main")) {
            long lines = read(file).lines().count();
            if (lines > 700) {
                giants.add(ROOT.relativize(file) + " has " + lines + " lines: a second reason to change has moved in");
            }
        }
        assertThat(giants).isEmpty();
    }

    private static List<String> lines(String part, Predicate<String> wanted) {
        List<String> hits = new ArrayList<>();
        for (Path file : javaFiles(part)) {
            int number = 0;
            for (String line : read(file).lines().toList()) {
                number++;
                if (wanted.test(line)) {
                    hits.add(ROOT.relativize(file) + ":" + number + ": " + line.strip());
                }
            }
        }
        return hits;
    }

    private static List<Path> javaFiles(String part) {
        List<Path> files = new ArrayList<>();
        for (String module : List.of("wire", "broker", "client", "cli", "benchmarks", "examples")) {
            Path sources = ROOT.resolve(module).resolve("src").resolve(part).resolve("java");
            if (!Files.isDirectory(sources)) {
                continue;
            }
            try (Stream<Path> walk = Files.walk(sources)) {
                walk.filter(file -> file.toString().endsWith(".java")).forEach(files::add);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        assertThat(files).as("sources below %s", ROOT.toAbsolutePath()).isNotEmpty();
        return files;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
