package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Holds the tests of every module to waiting for signals, not for time: for a condition, a future, a latch, a message.
 * Where time itself is the subject, {@code Pace} lets it pass, and says so.
 */
class TestStyleTest {
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

    /** A wait of less than a minute for what has to come, which other load may delay. */
    private static final Pattern SHORT_WAIT =
            Pattern.compile("\\breceive(Body)?\\(([^()]*,\\s*)?([1-9]|[1-5]\\d)_000\\)"
                    + "|\\b(get|poll|await|waitFor|tryAcquire|orTimeout|awaitSettlement"
                    + "|waitForScriptToComplete|receive|atMost)"
                    + "\\(([^()]*,\\s*)?([1-9]|[1-5]\\d),\\s*(TimeUnit\\.)?SECONDS\\)"
                    + "|\\b(receive|read|atMost)\\(\\s*Duration\\.ofSeconds\\(([1-9]|[1-5]\\d)\\)"
                    + "|\\b(SOON|PATIENCE|LONG|MOST)\\s*=\\s*Duration\\.ofSeconds\\(([1-9]|[1-5]\\d)\\)"
                    + "|\\b(WAIT|RECEIVE|READ|COMES)_MS\\s*=\\s*([1-9]|[1-5]\\d)_000;");

    /** An upper bound on elapsed time, which belongs to a machine without other load. */
    private static final Pattern AT_MOST = Pattern.compile(
            "\\b(nanoTime|currentTimeMillis)\\(\\)\\s*-\\s*\\w+\\)*\\s*(\\.as\\([^)]*\\))?\\s*\\.is(LessThan|Between)");

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
    void nobodyWaitsLessThanAMinuteForWhatHasToCome() {
        assertThat(found(SHORT_WAIT)).isEmpty();
    }

    @Test
    void elapsedTimeIsBoundedFromBelowOnly() {
        assertThat(found(AT_MOST)).isEmpty();
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
        assertThat(List.of(
                        "consumer.receiveBody(String.class, 5_000)",
                        "consumer.receive(30_000)",
                        "answer.get(1, TimeUnit.SECONDS)",
                        "peer.waitForScriptToComplete(10, TimeUnit.SECONDS)",
                        "await().atMost(20, SECONDS)",
                        "receiver.receive(Duration.ofSeconds(20))",
                        "Duration SOON = Duration.ofSeconds(30);",
                        "long WAIT_MS = 30_000;"))
                .allMatch(line -> SHORT_WAIT.matcher(line).find());
        assertThat(List.of(
                        "consumer.receive(60_000)", "answer.get(60, TimeUnit.SECONDS)", "read(Duration.ofMillis(50))"))
                .noneMatch(line -> SHORT_WAIT.matcher(line).find());
        assertThat("assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(SOON);")
                .containsPattern(AT_MOST);
        assertThat("assertThat(System.nanoTime() - begun).isGreaterThan(rest);").doesNotContainPattern(AT_MOST);
    }

    @Test
    void everyLatchIsCountedDown() {
        List<String> stuck = new ArrayList<>();
        for (Path file : testSources()) {
            String text = RepositoryFiles.text(file);
            LATCH.matcher(text)
                    .results()
                    .map(match -> match.group(1))
                    .filter(name -> !Pattern.compile("\\b" + name + "(\\.|::)countDown\\b")
                            .matcher(text)
                            .find())
                    .forEach(name -> stuck.add(RepositoryFiles.name(file) + ": nobody counts '" + name + "' down"));
        }
        assertThat(stuck).isEmpty();
    }

    private static List<String> found(Pattern pattern) {
        List<String> hits = new ArrayList<>();
        for (Path file : testSources()) {
            String text = RepositoryFiles.text(file);
            for (MatchResult match : pattern.matcher(text).results().toList()) {
                long line = text.substring(0, match.start()).lines().count();
                hits.add(RepositoryFiles.name(file) + ":" + line + ": " + match.group());
            }
        }
        return hits;
    }

    private static List<Path> testSources() {
        return RepositoryFiles.where(name -> name.endsWith(".java")
                && name.contains("/src/test/java/")
                && EXEMPT.stream().noneMatch(exempt -> name.endsWith("/" + exempt)));
    }
}
