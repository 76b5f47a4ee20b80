package io.ringtable.cli.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.wire.EncodingWriter;
import io.ringtable.wire.MalformedMessage;
import io.ringtable.wire.SectionDecoder;
import io.ringtable.wire.Sections;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.ProtonBufferAllocator;
import org.apache.qpid.protonj2.codec.Encoder;
import org.apache.qpid.protonj2.codec.encoders.ProtonEncoderFactory;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnsignedInteger;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.ApplicationProperties;
import org.apache.qpid.protonj2.types.messaging.DeliveryAnnotations;
import org.apache.qpid.protonj2.types.messaging.Footer;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.messaging.MessageAnnotations;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.apache.qpid.protonj2.types.messaging.Section;
import org.junit.jupiter.api.Test;

class CarriedMessageTest {
    private static final Header HEADER = new Header()
            .setDurable(true)
            .setPriority((byte) 7)
            .setTimeToLive(90_000)
            .setFirstAcquirer(false)
            .setDeliveryCount(3);
    private static final Properties PROPERTIES =
            new Properties().setMessageId("id-1").setTo("elsewhere");

    private final EncodingWriter writer = new EncodingWriter();

    @Test
    void theHeaderKeepsWhatIsOfTheMessageAndLosesWhatIsOfTheSource() throws Exception {
        Map<Integer, Section<?>> sections =
                decoded(carried(HEADER, new DeliveryAnnotations(Map.of(Symbol.valueOf("a"), 1)), body("x"))
                        .forTarget(writer, null, Product.KeyPlace.ANNOTATION));

        Header header = (Header) sections.get(Sections.HEADER);
        assertThat(header.isDurable()).isTrue();
        assertThat(header.getPriority()).isEqualTo((byte) 7);
        assertThat(header.getTimeToLive()).isEqualTo(90_000);
        assertThat(header.hasDeliveryCount()).isFalse();
        assertThat(header.hasFirstAcquirer()).isFalse();
        assertThat(sections).doesNotContainKey(Sections.DELIVERY_ANNOTATIONS);
    }

    @Test
    void aKeyAmongTheAnnotationsLeavesTheBareMessageByteForByte() throws Exception {
        Section<?>[] bare = {
            PROPERTIES,
            new ApplicationProperties(Map.of("p", UnsignedInteger.valueOf(5))),
            body("x"),
            new Footer(Map.of())
        };
        byte[] sent = carried(
                        HEADER,
                        new MessageAnnotations(new LinkedHashMap<>(Map.of(
                                Symbol.valueOf("_AMQ_DUPL_ID"),
                                "of an earlier bridge",
                                Symbol.valueOf("x-opt-jms-msg-type"),
                                (byte) 5))),
                        bare[0],
                        bare[1],
                        bare[2],
                        bare[3])
                .forTarget(writer, "key", Product.KeyPlace.ANNOTATION);

        assertThat(new String(sent, StandardCharsets.ISO_8859_1))
                .endsWith(new String(encoded(bare), StandardCharsets.ISO_8859_1));
        MessageAnnotations annotations = (MessageAnnotations) decoded(sent).get(Sections.MESSAGE_ANNOTATIONS);
        assertThat(annotations.getValue())
                .containsOnly(
                        Map.entry(Symbol.valueOf("_AMQ_DUPL_ID"), "key"),
                        Map.entry(Symbol.valueOf("x-opt-jms-msg-type"), (byte) 5));
    }

    @Test
    void aKeyAmongThePropertiesJoinsThoseThatAreThere() throws Exception {
        Map<Integer, Section<?>> with =
                decoded(carried(PROPERTIES, new ApplicationProperties(Map.of("p", "v")), body("x"))
                        .forTarget(writer, "key", Product.KeyPlace.PROPERTY));
        Map<Integer, Section<?>> without =
                decoded(carried(HEADER, PROPERTIES, body("x")).forTarget(writer, "key", Product.KeyPlace.PROPERTY));
        Map<Integer, Section<?>> bodyOnly =
                decoded(carried(body("x")).forTarget(writer, "key", Product.KeyPlace.PROPERTY));

        assertThat(properties(with)).containsOnly(Map.entry("p", "v"), Map.entry("_AMQ_DUPL_ID", "key"));
        assertThat(properties(without)).containsOnly(Map.entry("_AMQ_DUPL_ID", "key"));
        assertThat(properties(bodyOnly)).containsOnly(Map.entry("_AMQ_DUPL_ID", "key"));
        assertThat(((Properties) with.get(Sections.PROPERTIES)).getMessageId()).isEqualTo("id-1");
        assertThat(bodyOnly.get(Sections.VALUE)).isEqualTo(body("x"));
    }

    @Test
    void findsTheIdsThatAMessageHas() throws Exception {
        assertThat(carried(PROPERTIES, body("x")).hasMessageId()).isTrue();
        assertThat(carried(new Properties().setTo("t"), body("x")).hasMessageId())
                .isFalse();
        assertThat(carried(body("x")).hasMessageId()).isFalse();
        assertThat(carried(new ApplicationProperties(Map.of("_AMQ_DUPL_ID", "mine")), body("x"))
                        .hasOwnId())
                .isTrue();
        assertThat(carried(new ApplicationProperties(Map.of("_AMQ_DUPL_ID", 5)), body("x"))
                        .hasOwnId())
                .isFalse();
        assertThat(carried(new ApplicationProperties(Map.of("other", "mine")), body("x"))
                        .hasOwnId())
                .isFalse();
    }

    @Test
    void bytesThatAreNoMessageAreRefused() {
        assertThatThrownBy(() -> new CarriedMessage(new byte[] {1, 2, 3})).isInstanceOf(MalformedMessage.class);
    }

    static Section<?> body(String text) {
        return new AmqpValue<>(text);
    }

    static CarriedMessage carried(Section<?>... sections) throws MalformedMessage {
        return new CarriedMessage(encoded(sections));
    }

    static byte[] encoded(Section<?>... sections) {
        Encoder encoder = ProtonEncoderFactory.create();
        ProtonBuffer buffer = ProtonBufferAllocator.defaultAllocator().allocate();
        for (Section<?> section : sections) {
            encoder.writeObject(buffer, encoder.getCachedEncoderState(), section);
        }
        byte[] bytes = new byte[buffer.getReadableBytes()];
        buffer.readBytes(bytes, 0, bytes.length);
        return bytes;
    }

    private static Map<Integer, Section<?>> decoded(byte[] message) throws MalformedMessage {
        Map<Integer, Section<?>> found = new LinkedHashMap<>();
        Sections sections = new Sections().over(message, 0, message.length);
        while (sections.advance()) {
            found.put(sections.code(), new SectionDecoder().decode(sections));
        }
        return found;
    }

    private static Map<String, Object> properties(Map<Integer, Section<?>> sections) {
        return ((ApplicationProperties) sections.get(Sections.APPLICATION_PROPERTIES)).getValue();
    }
}
