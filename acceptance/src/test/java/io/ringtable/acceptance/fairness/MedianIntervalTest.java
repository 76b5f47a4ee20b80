package io.ringtable.acceptance.fairness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.ringtable.acceptance.fairness.MedianInterval.Verdict;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Holds the interval to its promises: exact bounds, the stated confidence, and no verdict without enough values. */
class MedianIntervalTest {

    @Test
    void fiveValuesTellNothing() {
        MedianInterval interval = MedianInterval.of(5, 1, 4, 2, 3);

        assertThat(interval.median()).isEqualTo(3);
        assertThat(interval.low()).isEqualTo(Double.NEGATIVE_INFINITY);
        assertThat(interval.high()).isEqualTo(Double.POSITIVE_INFINITY);
        assertThat(interval.about(0)).isEqualTo(Verdict.UNDECIDED);
    }

    @Test
    void ofSixValuesItIsTheWholeRange() {
        MedianInterval interval = MedianInterval.of(6, 5, 4, 3, 2, 1);

        assertThat(interval).isEqualTo(new MedianInterval(3.5, 1, 6, 1 - 2.0 / 64));
    }

    @Test
    void ofThirtyValuesItReachesFromTheTenthToTheTwentyFirst() {
        MedianInterval interval = MedianInterval.of(
                IntStream.rangeClosed(1, 30).mapToDouble(n -> 31 - n).toArray());

        assertThat(interval.low()).isEqualTo(10);
        assertThat(interval.high()).isEqualTo(21);
        assertThat(interval.confidence()).isCloseTo(0.9572, within(0.0001));
    }

    @Test
    void coversTheTrueMedianAsOftenAsItSays() {
        Random random = new Random(20_261_122);
        int rounds = 4_000;
        int covered = 0;
        for (int round = 0; round < rounds; round++) {
            double[] skewed = random.doubles(25).map(share -> -Math.log(share)).toArray(); // true median: ln 2
            MedianInterval interval = MedianInterval.of(skewed);
            covered += interval.low() <= Math.log(2) && Math.log(2) <= interval.high() ? 1 : 0;
        }

        assertThat(MedianInterval.of(new double[25]).confidence()).isCloseTo(0.9567, within(0.0001));
        assertThat((double) covered / rounds).isCloseTo(0.9567, within(0.01)); // three standard deviations
    }

    @Test
    void judgesOnlyWhatLiesOnOneSide() {
        MedianInterval interval = MedianInterval.of(0.8, 0.9, 1.0, 1.1, 1.2, 1.3);

        assertThat(interval.about(0.8)).isEqualTo(Verdict.KEPT);
        assertThat(interval.about(0.9)).isEqualTo(Verdict.UNDECIDED);
        assertThat(interval.about(1.3)).isEqualTo(Verdict.UNDECIDED);
        assertThat(interval.about(1.31)).isEqualTo(Verdict.BROKEN);
    }
}
