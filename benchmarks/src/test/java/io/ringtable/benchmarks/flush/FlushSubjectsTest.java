package io.ringtable.benchmarks.flush;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.benchmarks.engine.Databases;
import io.ringtable.benchmarks.engine.TestEngines;
import io.ringtable.benchmarks.suite.Case;
import io.ringtable.benchmarks.suite.Dimension;
import io.ringtable.benchmarks.suite.Figure;
import io.ringtable.benchmarks.suite.Readings;
import io.ringtable.benchmarks.suite.Subject;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A round of each form of the flush on real engines, with several publishers and subscribers. */
class FlushSubjectsTest {
    private static final int BATCH = 10;

    private static Databases databases;

    @BeforeAll
    static void open() {
        databases = new Databases();
    }

    @AfterAll
    static void close() {
        databases.close();
    }

    static Stream<Arguments> forms() {
        return Databases.ENGINES.stream()
                .flatMap(engine -> Stream.of(Idea.values())
                        .map(idea -> Arguments.of(engine, idea.name().toLowerCase(Locale.ROOT))));
    }

    @ParameterizedTest
    @MethodSource("forms")
    void batchesOfSeveralPublishersAreFlushedTogether(String engine, String design) {
        TestEngines.require(databases, engine);
        Case one = new Case(Map.of(
                Dimension.DESIGN,
                design,
                Dimension.BATCH,
                Integer.toString(BATCH),
                Dimension.SUBSCRIBERS,
                "2",
                Dimension.PUSHERS,
                "3"));

        try (Subject subject = new FlushSubjects(databases).open(engine, one)) {
            Map<Figure, String> figures = subject.measure(Duration.ofMillis(100));

            double messages = number(figures, Figure.MESSAGES);
            double flushes = number(figures, Figure.COMMITS);
            assertThat(flushes).isPositive();
            assertThat(messages).isBetween(BATCH * flushes, 3 * BATCH * flushes);
            assertThat(number(figures, Figure.LOG_BYTES)).isGreaterThan(300 * messages);
            assertThat(figures).containsEntry(Figure.VERIFIED, Readings.DURABLE);
        }
    }

    private static double number(Map<Figure, String> figures, Figure figure) {
        return Double.parseDouble(figures.get(figure));
    }
}
