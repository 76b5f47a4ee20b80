package io.ringtable.broker.amqp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.inbox.InboxEncoder;
import io.ringtable.broker.message.InboxMessage;
import io.ringtable.broker.message.Refusal;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.ApplicationProperties;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.messaging.MessageAnnotations;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.junit.jupiter.api.Test;

class AmqpInboxEncoderTest {
    private static final long NOW = 1_800_000_000_000L;
    private static final long AGE_MS = 250;

    private final AmqpInboxEncoder encoder = new AmqpInboxEncoder();

    @Test
    void aTextIsAnAmqpStringWithTheIdOfItsRow() throws Exception {
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
        new MessageFacts().read(encoded.bytes(), 0, encoded.bytes().length);
    }

    @Test
    void bytesAreADataSection() {
        InboxEncoder.Encoded encoded =
                encoder.encode(message(false, "raw", "{\"content-type\": \"application/json\"}"), NOW);
        assertThat(section(encoded, Data.class).getValue()).isEqualTo(bytes("raw"));
        assertThat(section(encoded, Properties.class).getContentType()).isEqualTo("application/json");
    }

    @Test
    void reservedKeysAreHeadersAndTheOthersApplicationProperties() {
        InboxEncoder.Encoded encoded = encoder.encode(message(true, "x", """
                        {"durable": true, "priority": 7, "ttl": 1000, "message-id": "m", "correlation-id": "c",
                         "subject": "s", "reply-to": "r", "group-id": "g",
                         "text": "t", "yes": true, "none": null, "int": 12, "long": 12345678901, "double": 0.5}"""), NOW);
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
    void aRowWrittenByHandIsRefusedAndStillMakesADeadLetter() {
        for (String properties : new String[] {"nonsense", "[]", "{\"priority\": \"high\"}", "{\"a\": {}}"}) {
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

    private static <T> T section(InboxEncoder.Encoded encoded, Class<T> type) {
        return Encoded.section(encoded.bytes(), type);
    }

    private static InboxMessage message(boolean text, String body, String properties) {
        return new InboxMessage(42, "orders", null, text, bytes(body), properties, AGE_MS);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
