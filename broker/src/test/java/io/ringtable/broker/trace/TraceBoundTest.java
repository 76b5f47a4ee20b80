package io.ringtable.broker.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class TraceBoundTest {
    private static final int PER_SECOND = 500;
    /** The messages of a tenth of a second, which time may have saved up, and the one that comes now. */
    private static final int BURST = PER_SECOND / 10 + 1;

    /** Close to where a long overflows, as the clock of nanoTime may be. */
    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(1));

    private final TraceBound bound = new TraceBound(PER_SECOND, clock::get);

    @Test
    void admitsABurstAndThenWhatTimeAllows() {
        assertThat(admitted(1_000)).isEqualTo(BURST);
        assertThat(bound.passedOver()).isEqualTo(1_000 - BURST);

        pass(10);
        assertThat(admitted(1_000)).isEqualTo(PER_SECOND / 100);
    }

    @Test
    void admitsTheRateOverAMinuteHoweverManyCome() {
        admitted(1_000);

        int all = 0;
        for (int ms = 0; ms < 60_000; ms++) {
            pass(1);
            all += admitted(4);
        }
        assertThat(all).isEqualTo(60 * PER_SECOND);
    }

    @Test
    void aPauseSavesUpNoMoreThanABurst() {
        pass(3_600_000);
        assertThat(admitted(1_000)).isEqualTo(BURST);
    }

    @Test
    void passesNothingOverBelowTheRate() {
        for (int i = 0; i < 1_000; i++) {
            pass(1_000 / PER_SECOND);
            assertThat(bound.admits()).isTrue();
        }
        assertThat(bound.passedOver()).isZero();
    }

    private int admitted(int offered) {
        int admitted = 0;
        for (int i = 0; i < offered; i++) {
            admitted += bound.admits() ? 1 : 0;
        }
        return admitted;
    }

    private void pass(long ms) {
        clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(ms));
    }
}
