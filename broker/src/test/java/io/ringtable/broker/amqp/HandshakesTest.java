package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class HandshakesTest {
    private static final int MOST = 4;
    private static final long TIME = 100;

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - TIME / 2); // it overflows
    private final Handshakes<String> handshakes = new Handshakes<>(MOST, TIME, nanos::get);
    private long lastNumber;

    private String enter(String origin) {
        lastNumber++;
        return handshakes.enter(origin, lastNumber, origin + lastNumber);
    }

    private void crowd(String origin) {
        for (int i = 0; i < MOST; i++) {
            assertThat(enter(origin)).isNull();
        }
    }

    @Test
    void theOldestOfACrowdGoesOnceItHasHadItsTime() {
        crowd("crowd");
        nanos.addAndGet(TIME);

        assertThat(enter("honest")).isEqualTo("crowd1");
        assertThat(enter("crowd")).isEqualTo("crowd2");
    }

    @Test
    void whileACrowdIsYoungItsYoungestGoes() {
        crowd("crowd");

        assertThat(enter("honest")).isEqualTo("crowd4");
        assertThat(enter("crowd")).isEqualTo("crowd6");
    }

    @Test
    void anOriginWithFewerIsLeftInPeaceHoweverOldItIs() {
        assertThat(enter("honest")).isNull();
        nanos.addAndGet(10 * TIME);
        for (int i = 0; i < 100; i++) {
            assertThat(enter("crowd")).isNotEqualTo("honest1");
        }
    }

    @Test
    void whatIsOpenOrGoneMakesRoomOnce() {
        crowd("crowd");

        assertThat(handshakes.leave("crowd", 2)).isTrue();
        assertThat(handshakes.leave("crowd", 2)).isFalse();
        assertThat(handshakes.leave("nobody", 1)).isFalse();

        assertThat(enter("crowd")).isNull();
        assertThat(enter("crowd")).isNotNull();
    }

    @Test
    void whatHadToGoIsCountedNoMore() {
        crowd("crowd");
        String gone = enter("crowd");

        assertThat(handshakes.leave("crowd", Long.parseLong(gone.substring("crowd".length()))))
                .isFalse();
    }
}
