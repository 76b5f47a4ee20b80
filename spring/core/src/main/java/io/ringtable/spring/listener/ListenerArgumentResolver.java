package io.ringtable.spring.listener;

import io.ringtable.client.ReceivedMessage;
import io.ringtable.spring.support.RingtableHeaders;
import org.springframework.core.MethodParameter;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHandlingException;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;

/** Gives a method the SDK's message and the acknowledgment, which travel in headers. */
final class ListenerArgumentResolver implements HandlerMethodArgumentResolver {

    @Override
    public boolean supportsParameter(MethodParameter parameter) {
        return header(parameter) != null;
    }

    @Override
    public Object resolveArgument(MethodParameter parameter, Message<?> message) {
        Object value = message.getHeaders().get(header(parameter));
        if (value == null) {
            throw new MessageHandlingException(message, "no header " + header(parameter) + " for " + parameter);
        }
        return value;
    }

    private static String header(MethodParameter parameter) {
        if (parameter.getParameterType() == ReceivedMessage.class) {
            return RingtableHeaders.RECEIVED_MESSAGE;
        }
        return parameter.getParameterType() == Acknowledgment.class ? RingtableHeaders.ACKNOWLEDGMENT : null;
    }
}
