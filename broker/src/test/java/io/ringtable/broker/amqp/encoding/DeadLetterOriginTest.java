package io.ringtable.broker.amqp.encoding;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.wire.Encoded;
import org.junit.jupiter.api.Test;

class DeadLetterOriginTest {

    @Test
    void readsTheAddressThatTheEncoderWrote() {
        byte[] letter = new AmqpDeadLetterEncoder().deadLetter(Encoded.text("x"), "órders.eu", "", "why", 1, 0);

        assertThat(DeadLetterOrigin.of(letter)).isEqualTo("órders.eu");
    }

    @Test
    void aMessageThatNoPolicyMovedHasNone() {
        assertThat(DeadLetterOrigin.of(Encoded.text("x"))).isNull();
    }
}
