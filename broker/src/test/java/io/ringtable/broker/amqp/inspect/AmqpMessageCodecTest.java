package io.ringtable.broker.amqp.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringtable.broker.inspect.DecodedBody;
import io.ringtable.broker.inspect.DecodedMessage;
import io.ringtable.broker.trace.MessageTraces;
import io.ringtable.wire.BatchFormat;
import io.ringtable.wire.Encoded;
import io.ringtable.wire.EncodingWriter;
import io.ringtable.wire.Poison;
import io.ringtable.wire.Sections;
import java.nio.charset.StandardCharsets;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.UnsignedLong;
import org.apache.qpid.protonj2.types.messaging.AmqpSequence;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.ApplicationProperties;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.messaging.MessageAnnotations;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests that every message is shown, whatever it holds. */
@Timeout(120)
class AmqpMessageCodecTest {
    private static final int MAX = 1_000;
    private static final String JMS_TYPE = "x-opt-jms-msg-type";

    private final AmqpMessageCodec codec = new AmqpMessageCodec(MessageTraces.OFF);

    private DecodedBody body(byte[] encoded) {
        return codec.decode(encoded, MAX).body();
    }

    private static JsonNode json(String text) {
        return JsonMapper.shared().readTree(text);
    }

    private static MessageAnnotations jmsType(int type) {
        return new MessageAnnotations(new HashMap<>(Map.of(Symbol.valueOf(JMS_TYPE), (byte) type)));
    }

    // ---- sections

    @Test
    void everySectionIsShownAsPlainValues() {
        Properties properties = new Properties();
        properties.setMessageId("ID:1");
        properties.setUserId("ann".getBytes(StandardCharsets.UTF_8));
        properties.setCorrelationId(UnsignedLong.valueOf(-1L));
        properties.setSubject("new");
        properties.setReplyTo("answers");
        properties.setContentType("text/plain");
        properties.setCreationTime(0);
        Map<String, Object> application = new LinkedHashMap<>();
        application.put("count", 7);
        application.put("id", UUID.fromString("00000000-0000-0001-0000-000000000002"));
        application.put("at", new Date(1));
        application.put("ratio", Double.NaN);
        application.put("bytes", new Binary(new byte[] {1, (byte) 0xff}));
        application.put("none", null);
        DecodedMessage shown = codec.decode(
                Encoded.message(
                        new Header().setDurable(true).setPriority((byte) 9).setTimeToLive(5_000),
                        new MessageAnnotations(new HashMap<>(Map.of(Symbol.valueOf("x-opt-delivery-time"), 17L))),
                        properties,
                        new ApplicationProperties(application),
                        new AmqpValue<>("hello")),
                MAX);
        assertThat(shown.header())
                .containsEntry("durable", true)
                .containsEntry("priority", 9)
                .containsEntry("ttlMs", 5_000L);
        assertThat(shown.annotations()).containsEntry("x-opt-delivery-time", 17L);
        assertThat(shown.properties())
                .containsEntry("messageId", "ID:1")
                .containsEntry("userId", "ann")
                .containsEntry("subject", "new")
                .containsEntry("replyTo", "answers")
                .containsEntry("contentType", "text/plain")
                .containsEntry("creationTime", "1970-01-01T00:00:00Z");
        assertThat(shown.properties().get("correlationId").toString()).isEqualTo("18446744073709551615");
        assertThat(shown.applicationProperties())
                .containsEntry("count", 7)
                .containsEntry("id", "00000000-0000-0001-0000-000000000002")
                .containsEntry("at", 1L)
                .containsEntry("ratio", "NaN")
                .containsEntry("bytes", "0x01ff")
                .containsEntry("none", null);
        assertThat(shown.body()).isEqualTo(new DecodedBody("text", "hello", null, null, 5, false, null));
    }

    @Test
    void aMessageOfABodyAloneHasEmptySections() {
        DecodedMessage shown = codec.decode(Encoded.message(new AmqpValue<>(null)), MAX);
        assertThat(shown.properties()).isEmpty();
        assertThat(shown.body().type()).isEqualTo("empty");
    }

    // ---- bodies

    @Test
    void jsonIsShownAsJsonWhateverCarriesIt() {
        JsonNode expected = json("{\"a\":[1,2]}");
        assertThat(body(Encoded.message(new AmqpValue<>("{\"a\":[1,2]}"))).json())
                .isEqualTo(expected);
        assertThat(body(Encoded.text("{\"a\":[1,2]}"))).satisfies(body -> {
            assertThat(body.json()).isEqualTo(expected);
            assertThat(body.text()).isNull();
        });
        assertThat(body(Encoded.text("{no json}")).text()).isEqualTo("{no json}");
    }

    @Test
    void bytesAreShownAsTextIfTheyAreOneElseInHexadecimalDigits() {
        assertThat(body(Encoded.text("grün\n"))).satisfies(body -> {
            assertThat(body.text()).isEqualTo("grün\n");
            assertThat(body.bytes()).isEqualTo(6);
        });
        assertThat(body(Encoded.message(new Data(new byte[] {0, 1, (byte) 0xfe}))))
                .isEqualTo(new DecodedBody("bytes", null, null, "0001fe", 3, false, null));
        assertThat(body(Encoded.message(new AmqpValue<>(new Binary(new byte[] {2}))))
                        .hex())
                .isEqualTo("02");
    }

    @Test
    void longTextsAreCutBetweenCharacters() {
        String text = "ü".repeat(MAX);
        assertThat(body(Encoded.message(new AmqpValue<>("x" + text)))).satisfies(body -> {
            assertThat(body.text()).isEqualTo("x" + "ü".repeat((MAX - 1) / 2));
            assertThat(body.truncated()).isTrue();
            assertThat(body.bytes()).isEqualTo(2 * MAX + 1);
            assertThat(body.note()).isEqualTo("there is more than is shown");
        });
        assertThat(body(Encoded.text("x" + text)).text()).isEqualTo("x" + "ü".repeat((MAX - 1) / 2));
        assertThat(body(Encoded.message(new Data(new byte[5_000])))).satisfies(body -> {
            assertThat(body.hex()).hasSize(2 * MAX);
            assertThat(body.truncated()).isTrue();
        });
    }

    @Test
    void theBodiesOfJmsMessagesAreShown() {
        assertThat(body(Encoded.message(jmsType(2), new AmqpValue<>(new HashMap<>(Map.of("a", 1))))))
                .as("map message")
                .satisfies(body -> {
                    assertThat(body.type()).isEqualTo("map");
                    assertThat(body.json()).isEqualTo(json("{\"a\":1}"));
                });
        assertThat(body(Encoded.message(jmsType(4), new AmqpSequence<>(List.of("a", 2, true)))))
                .as("stream message")
                .satisfies(body -> {
                    assertThat(body.type()).isEqualTo("stream");
                    assertThat(body.json()).isEqualTo(json("[\"a\",2,true]"));
                });
        assertThat(body(Encoded.message(jmsType(3), new Data(new byte[] {1}))).type())
                .as("bytes message")
                .isEqualTo("bytes");
        Properties object = new Properties();
        object.setContentType("application/x-java-serialized-object");
        assertThat(body(Encoded.message(jmsType(1), object, new Data(new byte[] {(byte) 0xac, (byte) 0xed}))))
                .as("object message")
                .satisfies(body -> {
                    assertThat(body.type()).isEqualTo("object");
                    assertThat(body.hex()).isEqualTo("aced");
                    assertThat(body.note()).contains("does not read");
                });
    }

    @Test
    void aBatchOfTheSdkIsNamed() {
        EncodingWriter batch = new EncodingWriter();
        BatchFormat.add(batch, Encoded.text("one"));
        BatchFormat.add(batch, Encoded.text("two"));
        assertThat(body(batch.toBytes())).satisfies(body -> {
            assertThat(body.type()).isEqualTo("batch");
            assertThat(body.note()).contains("2 encoded messages");
        });
        assertThat(body(Encoded.message(new Data("on".getBytes()), new Data("e".getBytes())))
                        .text())
                .as("a body in two sections is no batch")
                .isEqualTo("one");
    }

    // ---- hostile bytes

    @Test
    void aHostileBodyIsShownInHexadecimalDigits() {
        for (byte[] value : List.of(
                Poison.nested(500, Integer.MAX_VALUE),
                Poison.nested(20_000, 0),
                new Poison()
                        .put(0xf0)
                        .int32(5)
                        .int32(Integer.MAX_VALUE)
                        .put(0x43)
                        .bytes(),
                new Poison().put(0xb1).int32(3).put(0xed, 0xa0, 0x80).bytes())) {
            byte[] encoded =
                    new Poison().put(0, 0x53, Sections.VALUE).put(value).bytes();
            DecodedBody shown = body(encoded);
            assertThat(shown.hex() != null || shown.text() != null)
                    .as(shown.type())
                    .isTrue();
            assertThat(shown.json()).isNull();
        }
        byte[] nested = new Poison()
                .put(0, 0x53, Sections.VALUE)
                .put(Poison.nested(100, 0))
                .bytes();
        assertThat(body(nested)).satisfies(body -> {
            assertThat(body.type()).isEqualTo("unreadable");
            assertThat(body.note()).contains("nested deeper");
            assertThat(body.hex()).startsWith("005377d0");
        });
    }

    @Test
    void aHostilePropertyLeavesTheRestReadable() {
        DecodedMessage shown = codec.decode(Poison.property(Poison.nested(200, 0)), MAX);
        assertThat(shown.applicationProperties()).containsKey("unreadable");
        assertThat(shown.body().type()).isNotEqualTo("unreadable");
    }

    @Test
    void noBytesAtAllMakeTheCodecThrowOrGrow() {
        Random random = new Random(17);
        for (int i = 0; i < 20_000; i++) {
            byte[] message = Poison.message(random);
            DecodedMessage shown = codec.decode(message, MAX);
            assertThat(shown.body()).isNotNull();
            DecodedBody body = shown.body();
            assertThat(body.hex() == null || body.hex().length() <= 2 * MAX).isTrue();
            assertThat(body.text() == null || body.text().length() <= MAX).isTrue();
        }
        assertThat(body(new byte[] {1, 2, 3}).type()).isEqualTo("unreadable");
        assertThat(body(new byte[0]).type()).as("of a damaged message").isEqualTo("unreadable");
    }
}
