package io.ringtable.broker.overflow;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the ids of large bodies are positive and new, whenever their owner starts. */
class StagerIdsTest {
    private static final int RANDOM_BITS = 20; // of an epoch on SQLite
    private static final long RANDOM_MAX = (1L << RANDOM_BITS) - 1;

    /** Before and after the days on which the lower 32 bits of the milliseconds change their sign. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026-11-21T14:25:29Z",
                "2026-11-21T14:25:30Z",
                "2026-12-16T17:56:53Z",
                "2026-12-16T17:56:54Z",
                "2039-09-07T15:47:35Z",
                "2039-09-07T15:47:36Z",
                "2100-01-01T00:00:00Z"
            })
    void idsArePositiveAndAboveThoseOfAnEarlierOwner(String startedAt) {
        long now = Instant.parse(startedAt).toEpochMilli();
        List<Long> bases = List.of(
                Stager.idBefore(now),
                Stager.idBefore(now + 1),
                Stager.idBefore(now + 2 << RANDOM_BITS),
                Stager.idBefore((now + 2 << RANDOM_BITS) + RANDOM_MAX),
                Stager.idBefore(now + 4 << RANDOM_BITS),
                Stager.idBefore(now + 5));

        assertThat(bases).allSatisfy(base -> assertThat(base).isPositive()).isSorted();
        assertThat(bases.get(1) - bases.get(0)).as("ids of one millisecond").isEqualTo(2_097_152);
        assertThat(bases.get(4) - bases.get(3)).as("ids of one millisecond").isGreaterThanOrEqualTo(2_097_152);
    }
}
