package io.ringtable.broker.amqp.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ringtable.broker.inspect.DecodedMessage;
import io.ringtable.broker.inspect.MessageDraft;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.AddressKind;
import io.ringtable.broker.message.AddressQuota;
import io.ringtable.broker.message.Message;
import io.ringtable.broker.message.PublisherLogin;
import io.ringtable.broker.message.Refusal;
import io.ringtable.broker.trace.MessageTraces;
import io.ringtable.wire.Encoded;
import io.ringtable.wire.Poison;
import io.ringtable.wire.Sections;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.ApplicationProperties;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.messaging.MessageAnnotations;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.apache.qpid.protonj2.types.messaging.Section;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.StringNode;

/** Tests that what operators write becomes a message, or the copy of one. */
class MessageDraftTest {
    private static final Address QUEUE = new Address(1, "orders", AddressKind.QUEUE, new AddressQuota(1, 1));
    private static final long NOW = 1_800_000_000_000L;
    private static final int MAX = 1_000;
    private static final String JMS_TYPE = "x-opt-jms-msg-type";

    private final AmqpMessageCodec codec = new AmqpMessageCodec(MessageTraces.OFF);

    private static JsonNode json(String text) {
        return JsonMapper.shared().readTree(text);
    }

    private static MessageAnnotations jmsType(int type) {
        return new MessageAnnotations(new HashMap<>(Map.of(Symbol.valueOf(JMS_TYPE), (byte) type)));
    }

    private Message written(MessageDraft draft) {
        return codec.write(draft, QUEUE, PublisherLogin.NOBODY, NOW, () -> 42, 10_000);
    }

    private static MessageDraft draft(JsonNode body, String type) {
        return new MessageDraft(null, null, null, body, type);
    }

    @Test
    void aDraftBecomesAMessage() {
        Message message = written(new MessageDraft(
                Map.of("priority", 7, "ttlMs", 1_000),
                Map.of("subject", "new", "groupId", "g"),
                Map.of("color", "red", "size", 3),
                new StringNode("hello"),
                null));
        assertThat(message.priority()).isEqualTo(7);
        assertThat(message.expiresAt()).isEqualTo(NOW + 1_000);
        assertThat(message.group().id()).isEqualTo("g");
        assertThat(message.bodyId()).isZero();
        DecodedMessage shown = codec.decode(message.encoded(), MAX);
        assertThat(shown.header()).containsEntry("durable", true);
        assertThat(shown.properties()).containsEntry("to", "orders").containsEntry("subject", "new");
        assertThat(shown.properties().get("messageId").toString()).startsWith("ID:");
        assertThat(shown.applicationProperties()).containsEntry("color", "red").containsEntry("size", 3);
        assertThat(shown.body().text()).isEqualTo("hello");
    }

    @Test
    void aBodyMayBeJsonOrBytesAndLarge() {
        Message asJson = written(draft(json("{\"a\":1}"), "json"));
        assertThat(Encoded.section(asJson.encoded(), Properties.class).getContentType())
                .isEqualTo("application/json");
        assertThat(codec.decode(asJson.encoded(), MAX).body().json()).isEqualTo(json("{\"a\":1}"));
        Message asBytes = written(draft(new StringNode("AAH+"), "base64"));
        assertThat(codec.decode(asBytes.encoded(), MAX).body().hex()).isEqualTo("0001fe");
        assertThat(written(draft(new StringNode("x".repeat(20_000)), "text")).bodyId())
                .as("a body in overflow")
                .isEqualTo(42);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "{\"headers\":{\"colour\":1}};no header 'colour'",
                "{\"headers\":{\"priority\":10}};'priority' is 10, not a whole number from 0 to 9",
                "{\"properties\":{\"userId\":\"eve\"}};property 'userId' cannot be given",
                "{\"properties\":{\"subject\":7}};property 'subject' is 7, not a text",
                "{\"properties\":{\"contentType\":\"grün\"}};not ASCII",
                "{\"applicationProperties\":{\"a\":[1]}};application property 'a' is no text",
                "{\"body\":7};the body is no text",
                "{\"body\":\"*\",\"bodyType\":\"base64\"};not in Base64",
                "{\"body\":\"x\",\"bodyType\":\"yaml\"};bodyType 'yaml' does not exist",
            })
    void whatCannotBeAMessageIsRefusedByName(String draft, String why) {
        MessageDraft read = JsonMapper.shared().readValue(draft, MessageDraft.class);
        assertThatThrownBy(() -> written(read))
                .isInstanceOf(Refusal.Refused.class)
                .hasMessageContaining("RT-7220")
                .hasMessageContaining(why);
    }

    // ---- copies

    private byte[] original(Section<?> body) {
        Properties properties = new Properties();
        properties.setMessageId("ID:1");
        properties.setUserId("ann".getBytes(StandardCharsets.UTF_8));
        properties.setSubject("old");
        properties.setAbsoluteExpiryTime(NOW - 1);
        Map<String, Object> application = new LinkedHashMap<>();
        application.put("color", "red");
        application.put("size", 3);
        application.put("_AMQ_DUPL_ID", "once");
        return Encoded.message(
                new Header().setDurable(true).setPriority((byte) 2).setTimeToLive(1),
                jmsType(5),
                properties,
                new ApplicationProperties(application),
                body);
    }

    private Message copy(byte[] original, MessageDraft changes) {
        return codec.copy(original, changes, QUEUE, PublisherLogin.NOBODY, NOW, () -> 42, 10_000);
    }

    @Test
    void aCopyIsTheOriginalWithWhatWasGivenAndDoesNotExpire() {
        Map<String, Object> application = new LinkedHashMap<>();
        application.put("color", "blue");
        application.put("size", null);
        Message copy = copy(
                original(new AmqpValue<>("hello")),
                new MessageDraft(Map.of("priority", 8), Map.of("subject", "new"), application, null, null));
        assertThat(copy.expiresAt()).isZero();
        assertThat(copy.priority()).isEqualTo(8);
        DecodedMessage shown = codec.decode(copy.encoded(), MAX);
        assertThat(shown.properties())
                .containsEntry("messageId", "ID:1")
                .containsEntry("userId", "ann")
                .containsEntry("subject", "new")
                .containsEntry("to", "orders")
                .doesNotContainKey("absoluteExpiryTime");
        assertThat(shown.annotations()).containsEntry(JMS_TYPE, (byte) 5);
        assertThat(shown.applicationProperties())
                .as("its duplicate id is gone too")
                .isEqualTo(Map.of("color", "blue"));
        assertThat(shown.body().text()).isEqualTo("hello");
    }

    @Test
    void aCorrectedBodyStaysOfItsKind() {
        MessageDraft text = draft(new StringNode("corrected"), "text");
        Message ofText = copy(original(new AmqpValue<>("hello")), text);
        assertThat(Encoded.section(ofText.encoded(), AmqpValue.class).getValue())
                .isEqualTo("corrected");
        Message ofBytes = copy(original(new Data("hello".getBytes())), text);
        assertThat(codec.decode(ofBytes.encoded(), MAX).body().text()).isEqualTo("corrected");
        Message toBytes = copy(original(new AmqpValue<>("hello")), draft(new StringNode("AA=="), "base64"));
        assertThat(codec.decode(toBytes.encoded(), MAX).body().hex()).isEqualTo("00");
        assertThat(codec.decode(toBytes.encoded(), MAX).annotations())
                .as("it is no text message any more")
                .doesNotContainKey(JMS_TYPE);
    }

    @Test
    void aMessageThatCannotBeDecodedIsNotCopiedWithChanges() {
        assertThatThrownBy(() -> copy(Poison.property(Poison.nested(200, 0)), draft(new StringNode("x"), null)))
                .isInstanceOf(Refusal.Refused.class)
                .hasMessageContaining("RT-7221");
        byte[] hostileBody = new Poison()
                .put(0, 0x53, Sections.VALUE)
                .put(Poison.nested(100, 0))
                .bytes();
        assertThat(copy(hostileBody, draft(new StringNode("fixed"), null)).bytes())
                .as("a body that is replaced need not be read")
                .isPositive();
    }
}
