package io.ringtable.broker.ring;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.ring.FlushLog.Flushed;
import org.junit.jupiter.api.Test;

/** Tests which flush a message is told to be of. */
class FlushLogTest {
    private final FlushLog log = new FlushLog();

    private Flushed add(long first, long last) {
        Flushed flushed = new Flushed(first, last, 1_000 + first, 5);
        log.add(flushed);
        return flushed;
    }

    @Test
    void aMessageIsOfTheFlushThatHasItsSequence() {
        assertThat(log.of(0)).isNull();
        Flushed one = add(0, 0);
        Flushed many = add(1, 9);
        Flushed later = add(12, 13); // 10 and 11 were given before the start of another owner
        assertThat(log.of(0)).isEqualTo(one);
        assertThat(log.of(1)).isEqualTo(many);
        assertThat(log.of(9)).isEqualTo(many);
        assertThat(log.of(10)).isNull();
        assertThat(log.of(13)).isEqualTo(later);
        assertThat(log.of(14)).isNull();
    }

    @Test
    void theOldestIsForgottenWhenThereIsNoRoom() {
        for (int i = 0; i < FlushLog.KEPT + 2; i++) {
            add(10L * i, 10L * i + 9);
        }
        assertThat(log.of(19)).isNull();
        assertThat(log.of(20).first()).isEqualTo(20);
        assertThat(log.of(10L * FlushLog.KEPT + 19).last()).isEqualTo(10L * FlushLog.KEPT + 19);
        for (int i = 2; i < FlushLog.KEPT + 2; i++) {
            assertThat(log.of(10L * i + 5).first()).isEqualTo(10L * i);
        }
    }

    @Test
    void numbersThatAreGivenAgainAreOfTheirNewMessages() {
        add(0, 9);
        add(10, 19);
        Flushed again = add(5, 6);
        assertThat(log.of(5)).isEqualTo(again);
        assertThat(log.of(12)).isNull();
        Flushed next = add(7, 30);
        assertThat(log.of(12)).isEqualTo(next);
    }
}
