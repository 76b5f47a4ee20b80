package io.ringtable.client.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.client.Message;
import io.ringtable.client.RingtableException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.ProtonBufferAllocator;
import org.apache.qpid.protonj2.codec.CodecFactory;
import org.apache.qpid.protonj2.codec.Encoder;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnsignedInteger;
import org.apache.qpid.protonj2.types.UnsignedLong;
import org.apache.qpid.protonj2.types.UnsignedShort;
import org.apache.qpid.protonj2.types.messaging.AmqpSequence;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.ApplicationProperties;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.messaging.MessageAnnotations;
import org.apache.qpid.protonj2.types.messaging.Section;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class EncodedMessageTest {

    private final MessageEncoder encoder = new MessageEncoder(JsonMapper.shared());

    @Test
    void readsEveryTypeOfPropertyThatCanBeWritten() {
        UUID id = UUID.randomUUID();
        Instant instant = Instant.ofEpochMilli(1_700_000_000_123L);
        Map<String, Object> read = new EncodedMessage(encoder.encode(Message.builder()
                        .property("byte", (byte) -1)
                        .property("short", (short) -2)
                        .property("int", -3)
                        .property("long", -4L)
                        .property("float", 1.5f)
                        .property("double", -2.5)
                        .property("boolean", true)
                        .property("char", 'ß')
                        .property("string", "x".repeat(300))
                        .property("uuid", id)
                        .build()))
                .applicationProperties();
        assertThat(read)
                .containsEntry("byte", (byte) -1)
                .containsEntry("short", (short) -2)
                .containsEntry("int", -3)
                .containsEntry("long", -4L)
                .containsEntry("float", 1.5f)
                .containsEntry("double", -2.5)
                .containsEntry("boolean", true)
                .containsEntry("char", 'ß')
                .containsEntry("string", "x".repeat(300))
                .containsEntry("uuid", id);
        Map<String, Object> more = new EncodedMessage(encoder.encode(Message.builder()
                        .property("at", instant)
                        .property("bytes", new byte[] {1, 2})
                        .property("nothing", null)
                        .build()))
                .applicationProperties();
        assertThat(more).containsEntry("at", instant.toEpochMilli()).containsEntry("nothing", null);
        assertThat(more.get("bytes")).isEqualTo(new byte[] {1, 2});
    }

    @Test
    void showsTypesThatJavaDoesNotHaveAsTheNextBestThing() {
        EncodedMessage message = encoded(
                new ApplicationProperties(Map.of("big", UnsignedLong.MAX_VALUE)),
                new AmqpValue<>(List.of(
                        UnsignedInteger.valueOf(-1), Symbol.valueOf("s"), Map.of("k", UnsignedShort.valueOf((short)
                                7)))));
        assertThat(message.value()).isEqualTo(List.of(0xFFFF_FFFFL, "s", Map.of("k", 7)));
        assertThat(message.applicationProperties())
                .containsEntry("big", BigInteger.TWO.pow(64).subtract(BigInteger.ONE));
    }

    @Test
    void readsBodiesOfAnyLength() {
        for (int length : new int[] {0, 1, 255, 256, 70_000}) {
            byte[] body = new byte[length];
            new Random(length).nextBytes(body);
            assertThat(new EncodedMessage(encoder.encode(Message.bytes(body))).bytes())
                    .isEqualTo(body);
            String text = "ü".repeat(length);
            assertThat(new EncodedMessage(encoder.encode(Message.text(text))).text())
                    .isEqualTo(text);
        }
    }

    @Test
    void readsSeveralDataSectionsAsOneBody() {
        EncodedMessage message = encoded(new Data(new byte[] {1, 2}), new Data(new byte[] {3}));
        assertThat(message.bytes()).containsExactly(1, 2, 3);
    }

    @Test
    void showsListsMapsAndNumbersOfOtherClientsAsValues() {
        assertThat(encoded(new AmqpValue<>(List.of("a", 1))).value()).isEqualTo(List.of("a", 1));
        assertThat(encoded(new AmqpValue<>(42)).value()).isEqualTo(42);
        assertThat(encoded(new AmqpValue<>(new Binary(new byte[] {7}))).bytes()).containsExactly(7);
        assertThat(encoded(new AmqpSequence<>(List.of("a")), new AmqpSequence<>(List.of("b")))
                        .value())
                .isEqualTo(List.of("a", "b"));
        assertThatThrownBy(() -> encoded(new AmqpValue<>(42)).text())
                .hasMessageContaining("RT-5030")
                .hasMessageContaining("Integer");
    }

    @Test
    void findsItsWayPastAnnotations() {
        EncodedMessage message = encoded(
                new Header().setDeliveryCount(3),
                new MessageAnnotations(Map.of(Symbol.valueOf("x-opt-jms-dest"), (byte) 1)),
                new AmqpValue<>("text"));
        assertThat(message.header().getDeliveryCount()).isEqualTo(3);
        assertThat(message.text()).isEqualTo("text");
    }

    @Test
    void readsDescriptorsInTheirLongAndTheirNamedForm() {
        assertThat(fromHex("00800000000000000075A00161").text()).isEqualTo("a");
        String name = HexFormat.of().formatHex("amqp:data:binary".getBytes(StandardCharsets.US_ASCII));
        assertThat(fromHex("00A310" + name + "A00162").text()).isEqualTo("b");
        assertThat(fromHex("00B300000010" + name + "A00163").text()).isEqualTo("c");
        assertThatThrownBy(() -> fromHex("00B3FFFFFFFF" + name + "A00163")).hasMessageContaining("RT-5030");
    }

    @Test
    void refusesWhatIsNoMessageInsteadOfGuessing() {
        assertThatThrownBy(() -> fromHex("41")).hasMessageContaining("RT-5030");
        assertThatThrownBy(() -> fromHex("005375A0FF01")).hasMessageContaining("RT-5030");
        assertThatThrownBy(() -> fromHex("005375B07FFFFFFF01")).hasMessageContaining("RT-5030");
        assertThatThrownBy(() -> fromHex("005375")).hasMessageContaining("RT-5030");
        assertThatThrownBy(() -> fromHex("00537531")).hasMessageContaining("RT-5030");
    }

    @Test
    void survivesRandomBytesWithNothingButItsOwnError() {
        Random random = new Random(42);
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[random.nextInt(40)];
            random.nextBytes(bytes);
            if (bytes.length > 2) {
                bytes[0] = 0;
                bytes[1] = 0x53;
                bytes[2] = (byte) (0x70 + random.nextInt(9));
            }
            try {
                EncodedMessage message = new EncodedMessage(bytes);
                message.value();
                message.header();
                message.properties();
                message.applicationProperties();
            } catch (RingtableException refused) {
                assertThat(refused.code()).isEqualTo("RT-5030");
            }
        }
    }

    private static EncodedMessage fromHex(String hex) {
        return new EncodedMessage(HexFormat.of().parseHex(hex));
    }

    private static EncodedMessage encoded(Section<?>... sections) {
        ProtonBuffer buffer = ProtonBufferAllocator.defaultAllocator().allocate(1_024);
        Encoder encoder = CodecFactory.getDefaultEncoder();
        Stream.of(sections).forEach(section -> encoder.writeObject(buffer, encoder.newEncoderState(), section));
        byte[] bytes = new byte[buffer.getReadableBytes()];
        buffer.readBytes(bytes, 0, bytes.length);
        return new EncodedMessage(bytes);
    }
}
