package io.ringtable.spring.listener;

import io.ringtable.client.ReceivedMessage;
import io.ringtable.spring.internal.Payloads;
import io.ringtable.spring.support.MessageMapper;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.messaging.Message;
import org.springframework.messaging.converter.MessageConverter;
import org.springframework.messaging.support.MessageBuilder;

/** Makes the elements of a batch's list, as the method's parameter has them. */
final class BatchPayload {
    private final Class<?> element; // ReceivedMessage, Message or a payload
    private final Class<?> payload;
    private final MessageConverter converter;

    private BatchPayload(Class<?> element, Class<?> payload, MessageConverter converter) {
        this.element = element;
        this.payload = payload;
        this.converter = converter;
    }

    static BatchPayload of(Method method, MessageConverter converter) {
        int at = Arrays.asList(method.getParameterTypes()).indexOf(List.class);
        ResolvableType element = ResolvableType.forMethodParameter(new MethodParameter(method, at))
                .getGeneric(0);
        Class<?> type = element.resolve(Object.class);
        return new BatchPayload(
                type, type == Message.class ? element.getGeneric(0).resolve(Object.class) : type, converter);
    }

    /** @throws RuntimeException if the message cannot be had so */
    Object read(ReceivedMessage received) {
        if (element == ReceivedMessage.class) {
            return received;
        }
        Message<?> message = MessageMapper.fromMessage(received);
        Object converted = Payloads.read(message, payload, converter);
        return element == Message.class
                ? MessageBuilder.withPayload(converted)
                        .copyHeaders(message.getHeaders())
                        .build()
                : converted;
    }
}
