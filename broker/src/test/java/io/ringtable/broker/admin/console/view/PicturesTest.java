package io.ringtable.broker.admin.console.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.admin.StatusController.Ring;
import io.ringtable.broker.metrics.StatusSampler;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Holds the pictures of the console. */
class PicturesTest {
    private static RingPicture ring(long gate, long next) {
        return RingPicture.of(new Ring(
                0, 1, gate, next, 1_000, gate + 1_000 - next, 0, "ACTIVE", new StatusSampler.Rates(0, 0), List.of()));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 250, 25 %, M 140.00 56.00 A 84.0 84.0 0 0 1 224.00 140.00",
        "1000, 1750, 75 %, M 140.00 56.00 A 84.0 84.0 0 1 1 56.00 140.00",
        "2750, 3000, 25 %, M 56.00 140.00 A 84.0 84.0 0 0 1 140.00 56.00",
        "7, 8, < 1 %, M 143.69 56.08 A 84.0 84.0 0 0 1 144.22 56.11"
    })
    void drawsTheSlotsBetweenGateAndNextClockwiseFromTheTop(long gate, long next, String share, String path) {
        RingPicture picture = ring(gate, next);

        assertThat(picture.usedText()).isEqualTo(share);
        assertThat(picture.used()).isEqualTo(path);
    }

    /** An arc of a whole circle begins where it ends, and would not be drawn. */
    @Test
    void drawsAFullRing() {
        RingPicture picture = ring(500, 1_500);

        assertThat(picture.usedText()).isEqualTo("100 %");
        assertThat(picture.used())
                .startsWith("M 140.00 224.00")
                .doesNotEndWith(" 140.00 224.00")
                .contains(" 0 1 1 ");
    }

    @Test
    void labelsNextOutsideOfTheRing() {
        assertThat(ring(0, 250).next().anchor()).isEqualTo("start");
        assertThat(ring(0, 750).next().anchor()).isEqualTo("end");
        assertThat(ring(0, 500).next().anchor()).isEqualTo("middle");
        assertThat(ring(0, 250).next().x()).isEqualTo("248.00");
    }

    @Test
    void drawsLinesOnOneScaleWithTheNewestAtTheRight() {
        Chart chart = Chart.of(
                List.of(0.0, 50.0, 90.0), 5, 10, most -> Shown.rate(most) + "/s", List.of(value -> value, value -> 0));

        assertThat(chart.most()).isEqualTo("100/s");
        assertThat(chart.lines().get(0)).isEqualTo("300.0,118.0 450.0,60.0 600.0,13.6");
        assertThat(chart.lines().get(1)).isEqualTo("300.0,118.0 450.0,118.0 600.0,118.0");
    }

    @Test
    void drawsNothingWhereThereAreNoSamples() {
        Chart chart = Chart.of(List.<Double>of(), 5, 10, Shown::millis, List.of(value -> value));

        assertThat(chart.lines()).containsExactly("");
        assertThat(chart.most()).isEqualTo("10 ms");
    }

    @Test
    void writesQuantitiesForPeople() {
        assertThat(Stream.of(0L, 1_023L, 1_536L, 200L * 1_024 * 1_024).map(Shown::bytes))
                .containsExactly("0 B", "1023 B", "1.5 KB", "200 MB");
        assertThat(Stream.of(0.25, 40.0, 1_500.0, 90_000.0, 7_260_000.0).map(Shown::millis))
                .containsExactly("0.3 ms", "40 ms", "1.5 s", "1 min 30 s", "2 h 1 min");
        assertThat(Stream.of(0.0, 0.4, 12.6, 12_345.0).map(Shown::rate)).containsExactly("0", "0.4", "13", "12,345");
        assertThat(Shown.words("owedInRing")).isEqualTo("Owed in ring");
        assertThat(Shown.words("publishedAt")).isEqualTo("Published");
    }
}
