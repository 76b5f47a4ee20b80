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
        databases = TestEngines.inMemory();
    }

    @AfterAll
    static void close() {
        databases.close();
    }

    static Stream<Arguments> forms() {
        return TestEngines.all().stream()
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
    }

    @ParameterizedTest
    @ValueSource(strings = {Databases.SQLITE, Databases.POSTGRESQL})
    void commitsThatWaitForTheDiskAreDurable(String engine) {
        try (Databases onDisk = new Databases()) {
            TestEngines.require(onDisk, engine);

            assertThat(verified(onDisk, engine, "flush")).isEqualTo(Readings.DURABLE);
            assertThat(verified(onDisk, engine, "flush_model")).isEqualTo(Readings.DURABLE);
        }
    }

    @Test
    void commitsThatAServerDoesNotSyncAreNeverCalledDurable() {
        try (Databases unsynced = Databases.unsynced()) {
            TestEngines.require(unsynced, Databases.POSTGRESQL);

            assertThat(verified(unsynced, Databases.POSTGRESQL, "flush")).contains("fsync=off");
            assertThat(verified(unsynced, Databases.POSTGRESQL, "flush_model")).contains("fsync=off");
        }
    }

    @Test
    void theStoreIsDurableWhereOtherSessionsDoNotSync() {
        try (Databases unsynced = Databases.unsynced()) {
            assertThat(verified(unsynced, Databases.SQLITE, "flush")).isEqualTo(Readings.DURABLE);
            assertThat(verified(unsynced, Databases.SQLITE, "flush_model")).contains("synchronous=0");
        }
    }

    /** Returns that a form is durable, or why not. */
    private static String verified(Databases databases, String engine, String design) {
        Map<Figure, String> figures = measure(databases, engine, Map.of(Dimension.DESIGN, design));
        return figures.getOrDefault(Figure.WHY_NOT, figures.get(Figure.VERIFIED));
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
