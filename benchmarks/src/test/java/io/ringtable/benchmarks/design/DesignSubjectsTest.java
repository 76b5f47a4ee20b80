package io.ringtable.benchmarks.design;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.benchmarks.engine.Databases;
import io.ringtable.benchmarks.engine.TestEngines;
import io.ringtable.benchmarks.suite.Case;
import io.ringtable.benchmarks.suite.Dimension;
import io.ringtable.benchmarks.suite.Figure;
import io.ringtable.benchmarks.suite.Readings;
import io.ringtable.benchmarks.suite.Subject;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** A round of a design on real engines, and what is read of it. */
class DesignSubjectsTest {
    private static final Duration ROUND = Duration.ofMillis(500);
    /** For a round that ends earlier by itself. */
    private static final Duration LONG = Duration.ofMinutes(1);

    static final Iterable<String> ENGINES = Databases.ENGINES;

    private static Databases databases;

    @BeforeAll
    static void open() {
        databases = new Databases();
    }

    @AfterAll
    static void close() {
        databases.close();
    }

    @ParameterizedTest
    @FieldSource("ENGINES")
    void aRoundTellsWhatTheEngineDid(String engine) {
        TestEngines.require(databases, engine);
        Map<Figure, String> figures = measure(
                ROUND,
                databases,
                engine,
                Map.of(
                        Dimension.DESIGN, "ring",
                        Dimension.RING_SIZE, "2000",
                        Dimension.HEAD_START, "100",
                        Dimension.SUBSCRIBERS, "2"));

        double messages = number(figures, Figure.MESSAGES);
        assertThat(messages).isPositive();
        assertThat(number(figures, Figure.POPPED)).isGreaterThanOrEqualTo(2 * messages);
        assertThat(number(figures, Figure.LATE)).isZero();
        // A slot is written for the push, and for each subscriber's pop: never below a page, or a record, each.
        assertThat(number(figures, Figure.LOG_WRITES)).isGreaterThanOrEqualTo(messages);
        assertThat(number(figures, Figure.LOG_BYTES)).isGreaterThan(300 * messages);
        assertThat(figures).containsEntry(Figure.VERIFIED, Readings.DURABLE);
        assertThat(figures.get(Figure.TOP_WAIT)).isNotBlank();
    }

    @ParameterizedTest
    @FieldSource("ENGINES")
    void aRoundWithoutPoppersFillsTheRingAtMost(String engine) {
        TestEngines.require(databases, engine);
        Map<Figure, String> figures = measure(
                LONG,
                databases,
                engine,
                Map.of(
                        Dimension.DESIGN, "ring",
                        Dimension.RING_SIZE, "20",
                        Dimension.PUSHERS, "2",
                        Dimension.POPPERS, "0"));

        assertThat(figures).containsEntry(Figure.MESSAGES, "20").containsEntry(Figure.POPPED, "0");
    }

    @ParameterizedTest
    @FieldSource("ENGINES")
    void delayedCommitsAreNotDurable(String engine) {
        TestEngines.require(databases, engine);
        Map<Figure, String> figures =
                measure(ROUND, databases, engine, Map.of(Dimension.DESIGN, "naive", Dimension.DURABILITY, "delayed"));

        assertThat(figures).containsEntry(Figure.VERIFIED, Readings.NOT_DURABLE);
        assertThat(figures.get(Figure.WHY_NOT)).contains("synchronous");
    }

    @ParameterizedTest
    @FieldSource("ENGINES")
    void anEngineThatDoesNotSyncIsFoundOut(String engine) {
        TestEngines.require(databases, engine);
        try (Databases unsynced = Databases.unsynced()) {
            Map<Figure, String> figures = measure(ROUND, unsynced, engine, Map.of(Dimension.DESIGN, "naive"));

            assertThat(figures).containsEntry(Figure.VERIFIED, Readings.NOT_DURABLE);
            assertThat(figures.get(Figure.WHY_NOT)).containsPattern("fsync=off|synchronous=0");
        }
    }

    @ParameterizedTest
    @FieldSource("ENGINES")
    void anAgedDesignHasLetMessagesComeAndGoBeforeItsFirstRound(String engine) {
        TestEngines.require(databases, engine);

        assertThat(afterARoundWithoutTime(engine, "naive_aged")).isEqualTo(new DesignDatabase.Accounts(500, 500, 0));
        assertThat(afterARoundWithoutTime(engine, "ring_aged")).isEqualTo(new DesignDatabase.Accounts(500, 500, 0));
        assertThat(afterARoundWithoutTime(engine, "naive")).isEqualTo(new DesignDatabase.Accounts(0, 0, 0));
    }

    private static DesignDatabase.Accounts afterARoundWithoutTime(String engine, String name) {
        Design design = Designs.ofTheBuild().of(name);
        try (DesignDatabase database =
                DesignDatabase.create(databases.create(engine), design, new QueueShape(1, 300, 1, 100), true)) {
            new DesignSubject(database, 1, 1, 0, design.isAged(engine)).measure(Duration.ZERO);
            return database.accounts();
        }
    }

    private static Map<Figure, String> measure(
            Duration time, Databases databases, String engine, Map<Dimension, String> values) {
        try (Subject subject = new DesignSubjects(databases).open(engine, new Case(values))) {
            return subject.measure(time);
        }
    }

    private static double number(Map<Figure, String> figures, Figure figure) {
        return Double.parseDouble(figures.get(figure));
    }
}
