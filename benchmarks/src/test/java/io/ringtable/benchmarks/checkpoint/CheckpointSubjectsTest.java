package io.ringtable.benchmarks.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.ringtable.benchmarks.engine.BenchmarkDatabase;
import io.ringtable.benchmarks.engine.Databases;
import io.ringtable.benchmarks.engine.TestEngines;
import io.ringtable.benchmarks.suite.Case;
import io.ringtable.benchmarks.suite.Dimension;
import io.ringtable.benchmarks.suite.Figure;
import io.ringtable.benchmarks.suite.Readings;
import io.ringtable.benchmarks.suite.Subject;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checkpoints of small tables on real engines. */
class CheckpointSubjectsTest {
    private static final int PAGES = 400;
    private static final Offset<Double> A_FEW = within(10.0); // pages of the catalogue, and those that say what is free

    private static Databases databases;

    @BeforeAll
    static void open() {
        databases = new Databases();
    }

    @AfterAll
    static void close() {
        databases.close();
    }

    static Stream<Arguments> designs() {
        return TestEngines.all().stream()
                .flatMap(engine -> Stream.of(CheckpointDesign.values())
                        .filter(CheckpointDesign::hasCheckpoint)
                        .filter(design -> design.whyNot(engine).isEmpty())
                        .map(design -> Arguments.of(engine, design.name().toLowerCase(Locale.ROOT))));
    }

    @ParameterizedTest
    @MethodSource("designs")
    void aCheckpointWritesTheHalfThatWasChangedInEachRound(String engine, String design) {
        TestEngines.require(databases, engine);
        CheckpointSubjects subjects = new CheckpointSubjects(databases);
        try (Subject subject = subjects.open(engine, one(design))) {
            for (int round = 0; round < 3; round++) {
                Map<Figure, String> figures = subject.measure(Duration.ZERO);

                assertThat(number(figures, Figure.CHECKPOINT_SECONDS)).isPositive();
                assertThat(number(figures, Figure.UPDATE_SECONDS)).isPositive();
                assertThat(number(figures, Figure.COMMITS)).isPositive();
                assertThat(number(figures, Figure.COMMIT_MEDIAN_US)).isPositive();
                assertThat(number(figures, Figure.COMMIT_P99_US))
                        .isGreaterThanOrEqualTo(number(figures, Figure.COMMIT_MEDIAN_US));
                assertThat(figures).containsEntry(Figure.VERIFIED, Readings.DURABLE);
                if (Databases.ENGINES.contains(engine)) { // SQL Server is not asked
                    assertThat(number(figures, Figure.PAGES_DIRTIED)).isCloseTo(PAGES / 2.0, A_FEW);
                }
                if (figures.containsKey(Figure.CHECKPOINT_WRITES)) {
                    assertThat(number(figures, Figure.CHECKPOINT_WRITES)).isCloseTo(PAGES / 2.0, A_FEW);
                }
                if (figures.containsKey(Figure.DEVICE_BYTES)) {
                    assertThat(number(figures, Figure.DEVICE_BYTES)).isGreaterThanOrEqualTo(PAGES / 2.0 * 4096);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {Databases.SQLITE, Databases.POSTGRESQL})
    void withoutACheckpointTheCommitsAloneAreTimed(String engine) {
        TestEngines.require(databases, engine);
        try (Subject subject = new CheckpointSubjects(databases).open(engine, one("checkpoint_none"))) {
            Map<Figure, String> figures = subject.measure(Duration.ofMillis(100));

            assertThat(number(figures, Figure.COMMITS)).isPositive();
            assertThat(number(figures, Figure.COMMIT_P99_US)).isPositive();
            assertThat(figures)
                    .containsEntry(Figure.VERIFIED, Readings.DURABLE)
                    .doesNotContainKeys(Figure.CHECKPOINT_SECONDS, Figure.UPDATE_SECONDS);
        }
    }

    @Test
    void theServersCapIsBackAfterAnUncappedCheckpoint() {
        TestEngines.require(databases, Databases.POSTGRESQL);
        try (BenchmarkDatabase database = databases.create(Databases.POSTGRESQL)) {
            String usual = flushAfter(database);
            assertThat(usual).isNotEqualTo("0");

            new Uncapped(database).run(() -> {
                await().until(() -> flushAfter(database).equals("0"));
                return null;
            });

            await().until(() -> flushAfter(database).equals(usual));
        }
    }

    private static String flushAfter(BenchmarkDatabase database) {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW checkpoint_flush_after")) {
            row.next();
            return row.getString(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Case one(String design) {
        return new Case(Map.of(Dimension.DESIGN, design, Dimension.RING_SIZE, String.valueOf(PAGES)));
    }

    private static double number(Map<Figure, String> figures, Figure figure) {
        return Double.parseDouble(figures.get(figure));
    }
}
