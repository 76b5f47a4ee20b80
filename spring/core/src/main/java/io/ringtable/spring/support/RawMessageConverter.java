package io.ringtable.spring.support;

import java.nio.charset.StandardCharsets;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.converter.MessageConverter;
import org.springframework.messaging.support.MessageBuilder;

/**
 * Passes text and bytes through, whatever the content type says: a String is an AMQP string, a {@code byte[]} is a data
 * section. On the way in each can be had as the other, in UTF-8. Leaves all other types to the next converter.
 * <p>
 * Thread: any; holds nothing.
 */
public final class RawMessageConverter implements MessageConverter {

    @Override
    public Object fromMessage(Message<?> message, Class<?> targetClass) {
        Object payload = message.getPayload();
        if (targetClass == String.class) {
            return payload instanceof byte[] bytes
                    ? new String(bytes, StandardCharsets.UTF_8)
                    : asIs(payload, String.class);
        }
        if (targetClass == byte[].class) {
            return payload instanceof String text ? text.getBytes(StandardCharsets.UTF_8) : asIs(payload, byte[].class);
        }
        return null;
    }

    private static Object asIs(Object payload, Class<?> type) {
        return type.isInstance(payload) ? payload : null;
    }

    @Override
    public Message<?> toMessage(Object payload, MessageHeaders headers) {
        if (payload instanceof String || payload instanceof byte[]) {
            return MessageBuilder.withPayload(payload).copyHeaders(headers).build();
        }
        return null;
    }
}
