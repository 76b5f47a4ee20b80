package io.ringtable.broker.amqp.encoding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ringtable.broker.inbox.InboxEncoder;
import io.ringtable.broker.message.InboxMessage;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.message.Utf16;
import io.ringtable.broker.trace.MessageTraces;
import io.ringtable.broker.trace.StepRecorder;
import io.ringtable.wire.Encoded;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.ApplicationProperties;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.messaging.MessageAnnotations;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

public class AmqpInboxEncoderTest {
    private static final long NOW = 1_800_000_000_000L;
    private static final long AGE_MS = 250;

    private final AmqpInboxEncoder encoder = new AmqpInboxEncoder(MessageTraces.OFF);

    @Test
    public void aTextIsAnAmqpStringWithTheIdOfItsRow() throws Exception {
        InboxEncoder.Encoded encoded = encoder.encode(message(true, "um café", "{}"), NOW);
        assertThat(encoded.priority()).isEqualTo(4);
        assertThat(encoded.expiresAt()).isZero();
        assertThat(section(encoded, AmqpValue.class).getValue()).isEqualTo("um café");
        assertThat(section(encoded, Header.class).isDurable()).isTrue();
        Properties properties = section(encoded, Properties.class);
        assertThat(properties.getMessageId()).isEqualTo("ID:ringtable-inbox-42");
        assertThat(properties.getTo()).isEqualTo("orders");
        assertThat(properties.getCreationTime()).isEqualTo(NOW - AGE_MS);
        assertThat(section(encoded, ApplicationProperties.class)).isNull();
        new MessageFacts(MessageTraces.OFF).read(encoded.bytes(), 0, encoded.bytes().length);
    }

    @Test
    public void findsTheTraceOfASampledMessageWhereItIsAsked() {
        String trace = "00-" + "a".repeat(32) + "-" + "b".repeat(16) + "-01";
        InboxMessage sampled = message(true, "x", "{\"traceparent\": \"" + trace + "\"}");

        InboxEncoder.Encoded encoded = new AmqpInboxEncoder(new StepRecorder()).encode(sampled, NOW);

        assertThat(new String(encoded.bytes(), encoded.traceAt(), trace.length(), StandardCharsets.US_ASCII))
                .isEqualTo(trace);
        assertThat(encoder.encode(sampled, NOW).traceAt()).isZero();
    }

    @Test
    public void bytesAreADataSection() {
        InboxEncoder.Encoded encoded =
                encoder.encode(message(false, "raw", "{\"content-type\": \"application/json\"}"), NOW);
        assertThat(section(encoded, Data.class).getValue()).isEqualTo(bytes("raw"));
        assertThat(section(encoded, Properties.class).getContentType()).isEqualTo("application/json");
    }

    @Test
    public void reservedKeysAreHeadersAndTheOthersApplicationProperties() {
        InboxEncoder.Encoded encoded = encoder.encode(message(true, "x", """
                        {"durable": true, "priority": 7, "ttl": 1000, "message-id": "m", "correlation-id": "c",
                         "subject": "s", "reply-to": "r", "group-id": "g",
                         "text": "t", "yes": true, "none": null, "int": 12, "long": 12345678901,
                         "double": 0.5}"""), NOW);
        assertThat(encoded.priority()).isEqualTo(7);
        assertThat(encoded.expiresAt()).as("counts from when it was published").isEqualTo(NOW - AGE_MS + 1000);
        assertThat(section(encoded, Header.class).getPriority()).isEqualTo((byte) 7);
        Properties properties = section(encoded, Properties.class);
        assertThat(properties.getAbsoluteExpiryTime()).isEqualTo(NOW - AGE_MS + 1000);
        assertThat(properties.getMessageId()).isEqualTo("m");
        assertThat(properties.getCorrelationId()).isEqualTo("c");
        assertThat(properties.getSubject()).isEqualTo("s");
        assertThat(properties.getReplyTo()).isEqualTo("r");
        assertThat(properties.getGroupId()).isEqualTo("g");
        Map<String, Object> expected =
                new HashMap<>(Map.of("text", "t", "yes", true, "int", 12, "long", 12_345_678_901L, "double", 0.5));
        expected.put("none", null);
        assertThat(section(encoded, ApplicationProperties.class).getValue()).isEqualTo(expected);
    }

    @Test
    public void aRowWrittenByHandIsRefusedAndStillMakesADeadLetter() {
        StringBuilder many = new StringBuilder("{\"p\": 0");
        for (int i = 0; i < 4_096; i++) {
            many.append(", \"p").append(i).append("\": 1");
        }
        for (String properties : new String[] {
            "nonsense",
            "[]",
            "{\"priority\": \"high\"}",
            "{\"priority\": -1}",
            "{\"priority\": 10}",
            "{\"ttl\": 99999999999999999999}",
            "{\"a\": {}}",
            "{\"message-id\": {}}",
            "{\"subject\": [1]}",
            "{\"a\": " + "[".repeat(100_000),
            "{\"a\": \"" + "x".repeat(1 << 20) + "\"}",
            many.append('}').toString()
        }) {
            InboxMessage message = message(true, "x", properties);
            assertThatThrownBy(() -> encoder.encode(message, NOW))
                    .isInstanceOf(Refusal.Refused.class)
                    .hasMessageContaining("RT-4063");
            byte[] letter = encoder.deadLetter(message, "because", NOW);
            assertThat(Encoded.section(letter, AmqpValue.class).getValue()).isEqualTo("x");
            assertThat(Encoded.section(letter, MessageAnnotations.class)
                            .getValue()
                            .toString())
                    .contains("because", "orders");
        }
    }

    /** Returns texts that SQL Server may hand over: it takes unpaired surrogates in texts, keys and names. */
    public static Stream<InboxMessage> whatNoMessageCanBeMadeOf() {
        String lone = "a\uD800b";
        return Stream.of(
                properties("{\"name\": \"" + lone + "\"}"),
                properties("{\"name\": \"a\\uD800b\"}"),
                properties("{\"name\": \"\\uDC00\"}"),
                properties("{\"" + lone + "\": 1}"),
                properties("{\"message-id\": \"" + lone + "\"}"),
                properties("{\"correlation-id\": \"" + lone + "\"}"),
                properties("{\"content-type\": \"" + lone + "\"}"),
                properties("{\"subject\": \"" + lone + "\"}"),
                properties("{\"reply-to\": \"" + lone + "\"}"),
                properties("{\"group-id\": \"" + lone + "\"}"),
                properties("{\"content-type\": \"caf\u00e9\"}"), // a symbol is ASCII
                properties("{\"message-id\": {}}"),
                properties("{\"subject\": [1]}"),
                properties("{\"group-id\": 1}"),
                properties("{\"durable\": false}"),
                properties("{\"n\": 1e400}"),
                properties("{\"n\": -1e400}"),
                properties("{\"n\": 9223372036854775808}"),
                properties("{\"n\": 1" + "0".repeat(400) + "}"),
                properties("{\"n\": 1" + "0".repeat(60_000) + "}"),
                properties("{\"ttl\": -1}"),
                properties("{\"ttl\": 1e3}"),
                properties("{\"n\": " + "[".repeat(30_000) + "]".repeat(30_000) + "}"),
                properties("{\"n\": " + "[".repeat(400) + "]".repeat(400) + "}"),
                properties("{\"n\": " + "{\"n\":".repeat(400) + "1" + "}".repeat(401)),
                properties("{\"n\": 1} trailing"),
                properties("{\"" + "k".repeat(60_000) + "\": {}}"),
                properties("{\"line\\nRT-9999 forged\": {}}"),
                properties(""),
                properties(lone),
                new InboxMessage(42, lone, null, true, bytes("x"), "{}", AGE_MS, null),
                new InboxMessage(42, "orders", null, true, Utf16.toUtf8(lone), "{}", AGE_MS, null),
                new InboxMessage(42, "orders", null, true, new byte[] {'x', (byte) 0xff}, "{}", AGE_MS, null));
    }

    @ParameterizedTest
    @MethodSource("whatNoMessageCanBeMadeOf")
    public void refusesWhatNoMessageCanBeMadeOfAndStillMakesADeadLetter(InboxMessage row) throws Exception {
        Refusal.Refused refused = catchThrowableOfType(Refusal.Refused.class, () -> encoder.encode(row, NOW));
        assertThat(refused.refusal().code()).isEqualTo("RT-4063");
        assertThat(refused.refusal().text())
                .hasSizeLessThan(500)
                .doesNotContain("\n")
                .satisfies(text -> assertThat(Utf16.isWellFormed(text)).isTrue());

        byte[] letter = encoder.deadLetter(row, refused.refusal().toString(), NOW);

        new MessageFacts(MessageTraces.OFF).read(letter, 0, letter.length);
        assertThat((String) Encoded.section(letter, AmqpValue.class).getValue()).isNotEmpty();
        assertThat(Encoded.section(letter, MessageAnnotations.class).getValue().toString())
                .contains("RT-4063");
    }

    @Test
    public void makesAMessageOfEverythingElse() throws Exception {
        String rocket = "\uD83D\uDE80";
        InboxEncoder.Encoded encoded = encoder.encode(
                properties("{\"" + rocket + "\": \"" + rocket + "\", \"nul\": \"\\u0000\", \"a\": 1, \"a\": 2,"
                        + " \"max\": 9223372036854775807, \"small\": 1e-400, \"long\": \"" + "x".repeat(60_000)
                        + "\", \"correlation-id\": \"\"}"),
                NOW);
        new MessageFacts(MessageTraces.OFF).read(encoded.bytes(), 0, encoded.bytes().length);
        Map<String, Object> properties =
                section(encoded, ApplicationProperties.class).getValue();
        assertThat(properties)
                .containsEntry(rocket, rocket)
                .containsEntry("nul", "\0")
                .containsEntry("a", 2)
                .containsEntry("max", Long.MAX_VALUE)
                .containsEntry("small", 0.0);
    }

    @Test
    public void aTimeToLiveThatWasOverBeforeTheEpochIsOverAndNotForEver() {
        InboxMessage old = new InboxMessage(42, "orders", null, true, bytes("x"), "{\"ttl\": 1}", NOW + 1, null);
        assertThat(encoder.encode(old, NOW).expiresAt()).isEqualTo(1);
    }

    private static InboxMessage properties(String properties) {
        return message(true, "x", properties);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    public void whateverIsWrittenByHandIsAMessageOrRefused(long seed) throws Exception {
        Random random = new Random(seed);
        List<String> keys = List.of("priority", "ttl", "group-id", "message-id", "subject", "a", "\\u0000");
        List<String> values = List.of(
                "-1", "9", "1e999", "0.1", "12345678901234567890", "true", "null", "{}", "[]", "\"x\"", "\"\\ud83d\"");
        int taken = 0;
        for (int i = 0; i < 5_000; i++) {
            StringBuilder properties = new StringBuilder("{");
            for (int n = random.nextInt(4); n >= 0; n--) {
                properties
                        .append('"')
                        .append(keys.get(random.nextInt(keys.size())))
                        .append("\": ");
                properties.append(values.get(random.nextInt(values.size()))).append(n == 0 ? "}" : ", ");
            }
            InboxMessage message = message(random.nextBoolean(), "x", properties.toString());
            try {
                byte[] encoded = encoder.encode(message, NOW).bytes();
                new MessageFacts(MessageTraces.OFF).read(encoded, 0, encoded.length);
                taken++;
            } catch (Refusal.Refused refused) {
                assertThat(refused).as("seed %d: %s", seed, properties).hasMessageContaining("RT-4063");
            }
            assertThat(encoder.deadLetter(message, "because", NOW)).isNotEmpty();
        }
        assertThat(taken).as("seed %d", seed).isBetween(100, 4_900);
    }

    private static <T> T section(InboxEncoder.Encoded encoded, Class<T> type) {
        return Encoded.section(encoded.bytes(), type);
    }

    private static InboxMessage message(boolean text, String body, String properties) {
        return new InboxMessage(42, "orders", null, text, bytes(body), properties, AGE_MS, null);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
