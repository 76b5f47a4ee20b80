package io.ringtable.broker.amqp.encoding;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.dispatch.consumer.LetterOrigin;
import io.ringtable.wire.Encoded;
import org.junit.jupiter.api.Test;

class DeadLetterOriginTest {

    @Test
    void readsTheAddressThatTheEncoderWrote() {
        byte[] letter = new AmqpDeadLetterEncoder().deadLetter(Encoded.text("x"), "órders.eu", "", "", "why", 1, 0);

        assertThat(DeadLetterOrigin.of(letter)).isEqualTo("órders.eu");
    }

    @Test
    void aMessageThatNoPolicyMovedHasNone() {
        assertThat(DeadLetterOrigin.of(Encoded.text("x"))).isNull();
    }

    @Test
    void readsAllThatTheEncoderWrote() {
        byte[] letter =
                new AmqpDeadLetterEncoder().deadLetter(Encoded.text("x"), "prices", "desk", "board", "why", 3, 1_234L);

        assertThat(DeadLetterOrigin.letter(letter))
                .isEqualTo(new LetterOrigin("prices", "desk", "board", "why", 3, 1_234L));
    }

    @Test
    void aGlobalSubscriptionHasAnEmptyClientIdAndAQueueNone() {
        AmqpDeadLetterEncoder encoder = new AmqpDeadLetterEncoder();
        byte[] global = encoder.deadLetter(Encoded.text("x"), "prices", "", "board", "why", 3, 1_234L);
        byte[] queue = encoder.deadLetter(Encoded.text("x"), "orders", "", "", "why", 3, 1_234L);

        assertThat(DeadLetterOrigin.letter(global).clientId()).isEmpty();
        assertThat(DeadLetterOrigin.letter(queue).clientId()).isNull();
        assertThat(DeadLetterOrigin.letter(Encoded.text("x"))).isNull();
    }
}
