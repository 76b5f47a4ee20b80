package io.ringtable.spring.internal;

import org.springframework.messaging.Message;
import org.springframework.messaging.converter.MessageConversionException;
import org.springframework.messaging.converter.MessageConverter;

/**
 * Reads payloads as the type that is wanted.
 * <p>
 * Thread: any; holds nothing.
 */
public final class Payloads {

    private Payloads() {}

    /** @throws MessageConversionException if the payload cannot be had as that type */
    public static <T> T read(Message<?> message, Class<T> type, MessageConverter converter) {
        Object payload = message.getPayload();
        if (type.isInstance(payload)) {
            return type.cast(payload);
        }
        Object converted = converter.fromMessage(message, type);
        if (converted == null) {
            throw new MessageConversionException(
                    message,
                    "no message converter makes a " + type.getName() + " of a "
                            + payload.getClass().getSimpleName() + " with content type "
                            + message.getHeaders().get("contentType"));
        }
        return type.cast(converted);
    }
}
