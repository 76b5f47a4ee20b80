package io.ringtable.benchmarks.endtoend.figure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LatenciesTest {
    @Test
    void latenciesKeepTheirOrder() {
        Latencies latencies = new Latencies();
        latencies.add(5_000_000_000L);
        Latencies.Counted before = latencies.counted();
        for (int i = 1; i <= 1_000; i++) {
            latencies.add(i * 1_000_000L);
        }
        Latencies.Counted since = latencies.counted().since(before);
        assertThat(since.millis(0.5)).isBetween(480.0, 520.0);
        assertThat(since.millis(0.99)).isBetween(950.0, 1_030.0);
        assertThat(since.millis(1)).isBetween(970.0, 1_030.0);
    }
}
