package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Holds the tests of every module to waiting for signals, not for time: for a condition, a future, a latch, a message.
 * Where time itself is the subject, {@code Pace} lets it pass, and says so.
 */
class TestStyleTest {
    private static final Path ROOT = Path.of(System.getProperty("ringtable.root", ".."));
    private static final String TESTS = "src/test/java";
    private static final int LINES_MAX = 400;
    /** The class that may wait by the clock, and this one, which names what no test may. */
    private static final List<String> EXEMPT = List.of("Pace.java", "TestStyleTest.java");

    private static final Pattern SLEEP =
            Pattern.compile("\\.sleep\\(|\\bpark(Nanos|Until)\\(|\\bonSpinWait\\(|Thread\\.yield\\(");
    /** A delay before a look, or a stretch in which nothing may change, is a sleep by another name. */
    private static final Pattern DISGUISE =
            Pattern.compile("until\\(\\s*\\(\\)\\s*->\\s*true\\b|\\.pollDelay\\(|\\.during\\(");
    /** The head of a loop that ends by the clock. */
    private static final Pattern TIMING_LOOP =
            Pattern.compile("\\b(while|for)\\s*\\([^{]*?\\b(nanoTime|currentTimeMillis)\\(\\)\\s*[<>+-][^{]*\\{");

    private static final Pattern LATCH = Pattern.compile("CountDownLatch (\\w+)\\s*[=;,)]");

    @Test
    void nobodySleeps() {
        assertThat(found(SLEEP)).isEmpty();
    }

    @Test
    void nobodySleepsInDisguise() {
        assertThat(found(DISGUISE)).isEmpty();
    }

    @Test
    void noLoopEndsByTheClock() {
        assertThat(found(TIMING_LOOP)).isEmpty();
    }

    @Test
    void waitsAreFoundWhereverTheyHide() {
        assertThat(List.of("TimeUnit.SECONDS.sleep(10);", "LockSupport.parkNanos(1_000);", "Thread.onSpinWait();"))
                .allMatch(line -> SLEEP.matcher(line).find());
        assertThat(List.of(
                        "await().pollDelay(1, SECONDS).until(() -> true);",
                        "await().until(() -> true);",
                        "await().during(Duration.ofMillis(100)).until(this::isQuiet);"))
                .allMatch(line -> DISGUISE.matcher(line).find());
        assertThat(List.of(
                        "while (System.nanoTime() < end) {",
                        "for (long end = soon(); System.currentTimeMillis() - end < 0; ) {"))
                .allMatch(line -> TIMING_LOOP.matcher(line).find());
        assertThat(List.of("while (!queue.isEmpty()) {", "long begun = System.nanoTime();"))
                .noneMatch(line -> TIMING_LOOP.matcher(line).find());
    }

    @Test
    void everyLatchIsCountedDown() {
        List<String> stuck = new ArrayList<>();
        for (Path file : testSources()) {
            String text = read(file);
            LATCH.matcher(text)
                    .results()
                    .map(match -> match.group(1))
                    .filter(name -> !Pattern.compile("\\b" + name + "(\\.|::)countDown\\b")
                            .matcher(text)
                            .find())
                    .forEach(name -> stuck.add(ROOT.relativize(file) + ": nobody counts '" + name + "' down"));
        }
        assertThat(stuck).isEmpty();
    }

    @Test
    void classesStaySmallEnoughToRead() {
        List<String> giants = new ArrayList<>();
        for (Path file : testSources()) {
            long lines = read(file).lines().count();
            if (lines > LINES_MAX) {
                giants.add(ROOT.relativize(file) + " has " + lines + " lines: split it by concept");
            }
        }
        assertThat(giants).isEmpty();
    }

    private static List<String> found(Pattern pattern) {
        List<String> hits = new ArrayList<>();
        for (Path file : testSources()) {
            String text = read(file);
            for (MatchResult match : pattern.matcher(text).results().toList()) {
                long line = text.substring(0, match.start()).lines().count();
                hits.add(ROOT.relativize(file) + ":" + line + ": " + match.group());
            }
        }
        return hits;
    }

    private static List<Path> testSources() {
        List<Path> files = new ArrayList<>();
        for (Path module : modules()) {
            try (Stream<Path> walk = Files.walk(module.resolve(TESTS))) {
                walk.filter(file -> file.toString().endsWith(".java"))
                        .filter(file -> !EXEMPT.contains(file.getFileName().toString()))
                        .forEach(files::add);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        assertThat(files).as("tests below %s", ROOT).hasSizeGreaterThan(100);
        return files;
    }

    private static List<Path> modules() {
        try (Stream<Path> folders = Files.list(ROOT)) {
            return folders.filter(folder -> Files.isDirectory(folder.resolve(TESTS)))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
