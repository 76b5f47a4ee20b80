package io.ringtable.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.config.RestartProperties;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RestartsTest {
    private long nanos;
    private final Restarts restarts = new Restarts(
            new RestartProperties(7, Duration.ofSeconds(1), Duration.ofSeconds(30), Duration.ofMinutes(10)),
            () -> nanos);

    @Test
    void delaysDoubleUpToTheirBoundAndEnd() {
        List<Long> delays = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            delays.add(restarts.failed());
        }
        assertThat(delays).containsExactly(1_000L, 2_000L, 4_000L, 8_000L, 16_000L, 30_000L, 30_000L, Restarts.NEVER);
    }

    @Test
    void countsAnewOnlyAfterItHasServedForLong() {
        restarts.failed();
        restarts.serving();
        nanos += Duration.ofMinutes(9).toNanos();
        assertThat(restarts.failed()).isEqualTo(2_000);
        nanos += Duration.ofHours(1).toNanos(); // of recovery
        assertThat(restarts.failed()).isEqualTo(4_000);
        restarts.serving();
        nanos += Duration.ofMinutes(10).toNanos();
        assertThat(restarts.failed()).isEqualTo(1_000);
        assertThat(restarts.failures()).isEqualTo(1);
    }

    @Test
    void aHugeBoundOverflowsNothing() {
        Restarts many = new Restarts(
                new RestartProperties(1_000, Duration.ofMinutes(1), Duration.ofMinutes(10), Duration.ofDays(1)),
                () -> nanos);
        for (int i = 0; i < 1_000; i++) {
            assertThat(many.failed()).isBetween(60_000L, 600_000L);
        }
        assertThat(many.failed()).isEqualTo(Restarts.NEVER);
    }
}
