package io.ringtable.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Random;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnknownDescribedType;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.messaging.Section;
import org.junit.jupiter.api.Test;

class SectionDecoderTest {
    private final Sections sections = new Sections();
    private final SectionDecoder decoder = new SectionDecoder();

    private Section<?> decodeFirst(byte[] message) throws MalformedMessage {
        assertThat(sections.over(message, 0, message.length).advance()).isTrue();
        return decoder.decode(sections);
    }

    private static AmqpValue<?> described(String descriptor) {
        return new AmqpValue<>(new UnknownDescribedType(Symbol.valueOf(descriptor), "x"));
    }

    @Test
    void decodesOneSectionAfterTheOther() throws Exception {
        byte[] message = Encoded.message(new Header().setDeliveryCount(3), new AmqpValue<>(List.of("a", 1)));
        assertThat(((Header) decodeFirst(message)).getDeliveryCount()).isEqualTo(3);
        assertThat(sections.advance()).isTrue();
        assertThat(((AmqpValue<?>) decoder.decode(sections)).getValue()).isEqualTo(List.of("a", 1));
        assertThat(sections.advance()).isFalse();
    }

    @Test
    void decodesNothingOfWhatIsBeyondTheBounds() {
        byte[] nested = new Poison()
                .put(0, 0x53, Sections.VALUE)
                .put(Poison.nested(200_000, 0))
                .bytes();
        byte[] lying = Poison.property(Poison.nested(6_000, Integer.MAX_VALUE));
        assertThatThrownBy(() -> decodeFirst(nested)).isInstanceOf(MalformedMessage.class);
        assertThatThrownBy(() -> decodeFirst(lying)).isInstanceOf(MalformedMessage.class);
    }

    @Test
    void goesOnAfterAnyNumberOfDescriptors() throws Exception {
        for (int i = 0; i < 10 * CodecMemory.DESCRIPTORS_MAX; i++) {
            byte[] message = Encoded.message(described("descriptor-" + i));
            AmqpValue<?> value = (AmqpValue<?>) decodeFirst(message);
            assertThat(((UnknownDescribedType) value.getValue()).getDescribed()).isEqualTo("x");
        }
        Poison many = new Poison();
        for (int i = 0; i <= CodecMemory.DESCRIPTORS_MAX; i++) {
            many.put(0).symbol("another-" + i).put(Encoding.NULL);
        }
        byte[] message = new Poison()
                .put(0, 0x53, Sections.VALUE)
                .compound(Encoding.LIST_32, CodecMemory.DESCRIPTORS_MAX + 1, many.bytes())
                .bytes();
        assertThatThrownBy(() -> decodeFirst(message)).hasMessageContaining("256 descriptors");
    }

    @Test
    void forgetsSymbolsOnceTheyAreMany() throws Exception {
        for (int i = 0; i < 4 * CodecMemory.SYMBOLS_MAX; i++) {
            decodeFirst(Encoded.message(new AmqpValue<>(Symbol.valueOf("symbol-" + i))));
        }
        assertThat(CodecMemory.symbolsKnown()).isBetween(1, CodecMemory.SYMBOLS_MAX + 4_000);
        assertThat(((AmqpValue<?>) decodeFirst(Encoded.message(new AmqpValue<>(Symbol.valueOf("s"))))).getValue())
                .isEqualTo(Symbol.valueOf("s"));
    }

    @Test
    void randomMessagesFailWithExceptionsAtMost() {
        Random random = new Random(7);
        int decoded = 0;
        for (int i = 0; i < 3_000; i++) {
            byte[] message = Poison.message(random);
            try {
                sections.over(message, 0, message.length);
                while (sections.advance()) {
                    decoder.decode(sections);
                    decoded++;
                }
            } catch (MalformedMessage | RuntimeException refused) {
                assertThat(refused).isNotNull();
            }
        }
        assertThat(decoded).isGreaterThan(1_000);
    }
}
