package io.ringtable.cli.traffic;

import io.ringtable.client.ReceivedMessage;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes a message with its headers and properties as one line of JSON. Absent headers are left out. A body of bytes is
 * text where it is UTF-8, else the field {@code bodyBase64} has it.
 */
final class MessageJson {
    private MessageJson() {}

    static String of(ReceivedMessage message) {
        Map<String, Object> fields = new LinkedHashMap<>();
        message.messageId().ifPresent(id -> fields.put("id", id));
        message.correlationId().ifPresent(id -> fields.put("correlationId", id));
        message.subject().ifPresent(subject -> fields.put("subject", subject));
        message.replyTo().ifPresent(address -> fields.put("replyTo", address));
        message.contentType().ifPresent(type -> fields.put("contentType", type));
        message.groupId().ifPresent(group -> fields.put("group", group));
        message.createdAt().ifPresent(time -> fields.put("created", time.toString()));
        fields.put("priority", message.priority());
        fields.put("durable", message.isDurable());
        fields.put("deliveryCount", message.deliveryCount());
        fields.put("redelivered", message.isRedelivered());
        message.deadLetter().ifPresent(letter -> fields.put("deadLetter", of(letter)));
        fields.put("properties", plain(message.properties()));
        putBody(fields, message.value());
        return JsonMapper.shared().writeValueAsString(fields);
    }

    private static Map<String, Object> of(ReceivedMessage.DeadLetter letter) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("address", letter.address());
        letter.subscription().ifPresent(name -> fields.put("subscription", name));
        fields.put("reason", letter.reason());
        fields.put("failures", letter.failures());
        fields.put("time", letter.time().toString());
        return fields;
    }

    private static void putBody(Map<String, Object> fields, Object body) {
        if (!(body instanceof byte[] bytes)) {
            fields.put("body", plain(body));
            return;
        }
        try {
            fields.put(
                    "body",
                    StandardCharsets.UTF_8
                            .newDecoder()
                            .decode(ByteBuffer.wrap(bytes))
                            .toString());
        } catch (CharacterCodingException e) {
            fields.put("bodyBase64", plain(bytes));
        }
    }

    /** Returns a value that JSON has. Other AMQP types become text, bytes become Base64. */
    private static Object plain(Object value) {
        if (value == null || value instanceof Boolean || value instanceof Number) {
            return value;
        }
        if (value instanceof byte[] bytes) {
            return Base64.getEncoder().encodeToString(bytes);
        }
        if (value instanceof Map<?, ?> map) {
            Map<String, Object> plain = new LinkedHashMap<>();
            map.forEach((key, each) -> plain.put(String.valueOf(key), plain(each)));
            return plain;
        }
        if (value instanceof Iterable<?> list) {
            List<Object> plain = new ArrayList<>();
            list.forEach(each -> plain.add(plain(each)));
            return plain;
        }
        return String.valueOf(value);
    }
}
