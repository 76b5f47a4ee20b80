package io.ringtable.benchmarks.endtoend.figure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FiguresTest {
    @Test
    void clientsAloneHaveAllProcessorsForThemselves() {
        assertThat(Figures.clientsAlonePerSecond(50))
                .isEqualTo(20_000.0 * Runtime.getRuntime().availableProcessors());
    }
}
