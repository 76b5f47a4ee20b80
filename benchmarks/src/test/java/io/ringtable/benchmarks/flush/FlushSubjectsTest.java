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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

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
        Map<Figure, String> figures = measure(
                databases,
                engine,
                Map.of(
                        Dimension.DESIGN,
                        design,
                        Dimension.BATCH,
                        Integer.toString(BATCH),
                        Dimension.SUBSCRIBERS,
                        "2",
                        Dimension.PUSHERS,
                        "3"));

        double messages = number(figures, Figure.MESSAGES);
        double flushes = number(figures, Figure.COMMITS);
        assertThat(flushes).isPositive();
        assertThat(messages).isBetween(BATCH * flushes, 3 * BATCH * flushes);
        assertThat(number(figures, Figure.LOG_BYTES)).isGreaterThan(300 * messages);
        assertThat(figures).containsEntry(Figure.VERIFIED, Readings.DURABLE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"flush", "flush_model"})
    void commitsThatAServerDoesNotSyncAreNeverCalledDurable(String design) {
        try (Databases unsynced = Databases.unsynced()) {
            TestEngines.require(unsynced, Databases.POSTGRESQL);

            Map<Figure, String> figures = measure(unsynced, Databases.POSTGRESQL, Map.of(Dimension.DESIGN, design));

            assertThat(figures)
                    .containsEntry(Figure.VERIFIED, Readings.NOT_DURABLE)
                    .hasEntrySatisfying(Figure.WHY_NOT, why -> assertThat(why).contains("fsync=off"));
        }
    }

    @Test
    void theStoreIsDurableWhereOtherSessionsDoNotSync() {
        try (Databases unsynced = Databases.unsynced()) {
            assertThat(measure(unsynced, Databases.SQLITE, Map.of(Dimension.DESIGN, "flush")))
                    .containsEntry(Figure.VERIFIED, Readings.DURABLE);
            assertThat(measure(unsynced, Databases.SQLITE, Map.of(Dimension.DESIGN, "flush_model")))
                    .containsEntry(Figure.VERIFIED, Readings.NOT_DURABLE);
        }
    }

    private static Map<Figure, String> measure(Databases databases, String engine, Map<Dimension, String> values) {
        try (Subject subject = new FlushSubjects(databases).open(engine, new Case(values))) {
            return subject.measure(Duration.ofMillis(100));
        }
    }

    private static double number(Map<Figure, String> figures, Figure figure) {
        return Double.parseDouble(figures.get(figure));
    }
}
