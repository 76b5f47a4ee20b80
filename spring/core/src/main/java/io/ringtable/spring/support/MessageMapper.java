package io.ringtable.spring.support;

import io.ringtable.client.Message;
import io.ringtable.client.ReceivedMessage;
import io.ringtable.client.RingtableException;
import io.ringtable.spring.internal.SpringErrors;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.support.MessageBuilder;

/**
 * Maps Spring's messages to the SDK's and back: {@link RingtableHeaders} names the headers that are fields of AMQP, and
 * the others are application properties.
 * <p>
 * Thread: any; holds nothing.
 */
public final class MessageMapper {

    /** Headers that Spring keeps for itself, or that have no meaning in another process. */
    private static final Set<String> LOCAL = Set.of(
            MessageHeaders.ID,
            MessageHeaders.TIMESTAMP,
            MessageHeaders.CONTENT_TYPE,
            MessageHeaders.REPLY_CHANNEL,
            MessageHeaders.ERROR_CHANNEL,
            "conversionHint");

    private MessageMapper() {}

    /**
     * Begins the SDK's message with everything that the Spring message has.
     *
     * @throws RingtableException RT-5014 if a header has a type that AMQP's properties do not know
     * @throws RingtableException RT-5040 if a header of {@link RingtableHeaders} has another type than it should, or
     *     the payload is neither text nor bytes
     */
    public static Message.Builder toMessage(org.springframework.messaging.Message<?> message) {
        MessageHeaders headers = message.getHeaders();
        Message.Builder builder = Message.builder();
        body(builder, message.getPayload());
        field(headers, RingtableHeaders.MESSAGE_ID, String.class, builder::messageId);
        field(headers, RingtableHeaders.CORRELATION_ID, String.class, builder::correlationId);
        field(headers, RingtableHeaders.SUBJECT, String.class, builder::subject);
        field(headers, RingtableHeaders.REPLY_TO, String.class, builder::replyTo);
        field(headers, RingtableHeaders.GROUP_ID, String.class, builder::groupId);
        field(headers, RingtableHeaders.PRIORITY, Integer.class, builder::priority);
        field(headers, RingtableHeaders.TIME_TO_LIVE, Duration.class, builder::timeToLive);
        field(headers, RingtableHeaders.DURABLE, Boolean.class, builder::durable);
        Object contentType = headers.get(MessageHeaders.CONTENT_TYPE);
        if (contentType != null) {
            builder.contentType(contentType.toString());
        }
        headers.forEach((name, value) -> {
            if (!LOCAL.contains(name) && !name.startsWith(RingtableHeaders.PREFIX)) {
                builder.property(name, value);
            }
        });
        return builder;
    }

    private static void body(Message.Builder builder, Object payload) {
        if (payload instanceof String text) {
            builder.text(text);
        } else if (payload instanceof byte[] bytes) {
            builder.bytes(bytes);
        } else {
            throw SpringErrors.setting(
                    "a payload is a " + payload.getClass().getName(),
                    "send a String or a byte[], or have convertAndSend make one of it with a message converter");
        }
    }

    private static <T> void field(MessageHeaders headers, String name, Class<T> type, Consumer<T> setter) {
        Object value = headers.get(name);
        if (value == null) {
            return;
        }
        if (!type.isInstance(value)) {
            throw SpringErrors.setting(
                    "header '" + name + "' is " + value + ", a "
                            + value.getClass().getName(),
                    "use a " + type.getName());
        }
        setter.accept(type.cast(value));
    }

    /**
     * Shows a received message as Spring's. The payload is a String for an AMQP string, else a {@code byte[]}, or
     * another value of AMQP as {@link ReceivedMessage#value} has it.
     *
     * @throws RingtableException RT-5030 if the message is damaged
     */
    public static org.springframework.messaging.Message<?> fromMessage(ReceivedMessage message) {
        return fromMessage(message, Map.of());
    }

    /** Shows a received message with some headers more. */
    public static org.springframework.messaging.Message<?> fromMessage(ReceivedMessage message, Map<String, ?> more) {
        Map<String, Object> headers = new HashMap<>();
        message.properties().forEach((name, value) -> {
            if (value != null && !LOCAL.contains(name) && !name.startsWith(RingtableHeaders.PREFIX)) {
                headers.put(name, value);
            }
        });
        headers.put(RingtableHeaders.ADDRESS, message.address().toString());
        headers.put(RingtableHeaders.PROPERTIES, message.properties());
        headers.put(RingtableHeaders.RECEIVED_MESSAGE, message);
        headers.put(RingtableHeaders.PRIORITY, message.priority());
        headers.put(RingtableHeaders.DURABLE, message.isDurable());
        headers.put(RingtableHeaders.DELIVERY_COUNT, message.deliveryCount());
        headers.put(RingtableHeaders.REDELIVERED, message.isRedelivered());
        message.messageId().ifPresent(value -> headers.put(RingtableHeaders.MESSAGE_ID, value));
        message.correlationId().ifPresent(value -> headers.put(RingtableHeaders.CORRELATION_ID, value));
        message.subject().ifPresent(value -> headers.put(RingtableHeaders.SUBJECT, value));
        message.replyTo().ifPresent(value -> headers.put(RingtableHeaders.REPLY_TO, value));
        message.groupId().ifPresent(value -> headers.put(RingtableHeaders.GROUP_ID, value));
        message.createdAt().ifPresent(value -> headers.put(RingtableHeaders.CREATED_AT, value));
        message.deadLetter().ifPresent(value -> headers.put(RingtableHeaders.DEAD_LETTER, value));
        message.contentType().ifPresent(value -> headers.put(MessageHeaders.CONTENT_TYPE, value));
        headers.putAll(more);
        Object body = message.value();
        return MessageBuilder.withPayload(body == null ? new byte[0] : body)
                .copyHeaders(headers)
                .build();
    }
}
