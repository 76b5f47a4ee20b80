package io.ringtable.broker.amqp.encoding;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.trace.MessageTraces;
import io.ringtable.wire.Encoded;
import java.util.Map;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.DeliveryAnnotations;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.messaging.MessageAnnotations;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.junit.jupiter.api.Test;

public class AmqpDeadLetterEncoderTest {
    private final AmqpDeadLetterEncoder encoder = new AmqpDeadLetterEncoder();

    private static Map<Symbol, Object> annotations(byte[] encoded) {
        return Encoded.section(encoded, MessageAnnotations.class).getValue();
    }

    @Test
    public void writesTheReasonBesideTheAnnotationsThatAreThere() {
        byte[] encoded = Encoded.message(
                new Header().setDurable(true),
                new DeliveryAnnotations(Map.of(Symbol.valueOf("hop"), 1)),
                new MessageAnnotations(Map.of(Symbol.valueOf("x-opt-jms-msg-type"), (byte) 3)),
                new Properties().setTo("orders"),
                new Data(new byte[] {9}));
        byte[] dead = encoder.deadLetter(encoded, "orders", "", "", "10 deliveries failed", 10, 1_234_567L);
        assertThat(annotations(dead))
                .containsEntry(Symbol.valueOf("x-opt-jms-msg-type"), (byte) 3)
                .containsEntry(Symbol.valueOf(AmqpDeadLetterEncoder.ADDRESS), "orders")
                .containsEntry(Symbol.valueOf(AmqpDeadLetterEncoder.REASON), "10 deliveries failed")
                .containsEntry(Symbol.valueOf(AmqpDeadLetterEncoder.COUNT), 10)
                .containsEntry(Symbol.valueOf(AmqpDeadLetterEncoder.TIME), 1_234_567L)
                .hasSize(5);
        assertThat(Encoded.sections(dead)).hasSize(5);
        assertThat(Encoded.section(dead, Properties.class).getTo()).isEqualTo("orders");
        assertThat(Encoded.section(dead, Header.class).isDurable()).isTrue();
    }

    @Test
    public void aMessageWithoutAnnotationsGetsThemInTheirPlace() throws Exception {
        for (byte[] encoded : new byte[][] {
            Encoded.message(new Data(new byte[] {1})),
            Encoded.message(new Header(), new Data(new byte[] {1})),
            Encoded.message(new Properties().setTo("x"), new Data(new byte[] {1}))
        }) {
            byte[] dead = encoder.deadLetter(encoded, "prices", "desk", "board", null, 0, 1);
            assertThat(annotations(dead))
                    .containsEntry(Symbol.valueOf(AmqpDeadLetterEncoder.SUBSCRIPTION), "board")
                    .containsEntry(Symbol.valueOf(AmqpDeadLetterEncoder.CLIENT_ID), "desk")
                    .containsKey(Symbol.valueOf(AmqpDeadLetterEncoder.REASON));
            assertThat(Encoded.sections(dead)).hasSize(Encoded.sections(encoded).size() + 1);
            new MessageFacts(MessageTraces.OFF).read(dead, 0, dead.length);
        }
    }

    @Test
    public void whatHasExpiredDoesNotExpireAgain() throws Exception {
        Header header = new Header().setDurable(true).setPriority((byte) 7).setTimeToLive(1_000);
        Properties properties = new Properties().setTo("x").setAbsoluteExpiryTime(1_800_000_000_000L);
        properties.setCreationTime(5L).setGroupId("g".repeat(300)); // a list of the long form
        byte[] encoded = Encoded.message(header, properties, new Data(new byte[] {1}));
        byte[] dead = encoder.deadLetter(encoded, "a", "", "", "expired", 0, 1);
        assertThat(new MessageFacts(MessageTraces.OFF)
                        .read(dead, 0, dead.length)
                        .expiresAt(7))
                .isZero();
        Header its = Encoded.section(dead, Header.class);
        assertThat(its.hasTimeToLive()).isFalse();
        assertThat(its.getPriority()).isEqualTo((byte) 7);
        assertThat(its.isDurable()).isTrue();
        Properties theirs = Encoded.section(dead, Properties.class);
        assertThat(theirs.hasAbsoluteExpiryTime()).isFalse();
        assertThat(theirs.getTo()).isEqualTo("x");
        assertThat(theirs.getCreationTime()).isEqualTo(5L);
        assertThat(theirs.getGroupId()).hasSize(300);
    }

    @Test
    public void aSecondDeathReplacesTheFirst() {
        byte[] once = encoder.deadLetter(Encoded.text("x"), "a", "c", "s", "first", 1, 1);
        byte[] twice = encoder.deadLetter(once, "b", "", "", "second", 2, 2);
        assertThat(annotations(twice))
                .containsEntry(Symbol.valueOf(AmqpDeadLetterEncoder.ADDRESS), "b")
                .containsEntry(Symbol.valueOf(AmqpDeadLetterEncoder.REASON), "second")
                .doesNotContainKey(Symbol.valueOf(AmqpDeadLetterEncoder.SUBSCRIPTION))
                .hasSize(4);
    }

    @Test
    public void aRevivedMessageIsAsItCame() {
        for (byte[] encoded : new byte[][] {
            Encoded.message(new Data(new byte[] {1})),
            Encoded.message(
                    new Header().setDurable(true), new Properties().setMessageId("m"), new Data(new byte[] {1})),
            Encoded.message(new DeliveryAnnotations(Map.of(Symbol.valueOf("hop"), 1)), new Data(new byte[] {1}))
        }) {
            byte[] dead = encoder.deadLetter(encoded, "prices", "desk", "board", "why", 3, 1);
            assertThat(encoder.revived(dead)).isEqualTo(encoded);
        }
    }

    @Test
    public void aRevivedMessageKeepsTheAnnotationsOfOthers() {
        byte[] encoded = Encoded.message(
                new MessageAnnotations(Map.of(Symbol.valueOf("x-opt-jms-dest"), (byte) 1)),
                new Properties().setMessageId("m").setAbsoluteExpiryTime(5),
                new Data(new byte[] {9}));
        byte[] revived = encoder.revived(encoder.deadLetter(encoded, "a", "", "", "expired", 0, 1));
        assertThat(annotations(revived)).isEqualTo(Map.of(Symbol.valueOf("x-opt-jms-dest"), (byte) 1));
        assertThat(Encoded.section(revived, Properties.class).getMessageId()).isEqualTo("m");
        assertThat(Encoded.section(revived, Properties.class).hasAbsoluteExpiryTime())
                .isFalse();
        assertThat(Encoded.sections(revived)).hasSize(3);
    }
}
