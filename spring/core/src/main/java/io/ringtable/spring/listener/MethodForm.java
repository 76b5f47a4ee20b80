package io.ringtable.spring.listener;

import io.ringtable.client.ReceivedMessage;
import io.ringtable.spring.internal.SpringErrors;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.util.ClassUtils;

/**
 * Refuses methods that could not work as they are asked to, before the first message comes.
 * <p>
 * Thread: any; holds nothing.
 */
final class MethodForm {
    private static final String REACTIVE = "org.reactivestreams.Publisher";

    private MethodForm() {}

    /** @throws io.ringtable.client.RingtableException RT-5045 if the method does not fit */
    static void check(String listener, Method method, AckMode ackMode, boolean batch) {
        if (isAsynchronous(method.getReturnType())) {
            throw SpringErrors.method(
                    listener,
                    "returns a " + method.getReturnType().getName() + ", and is not done when it returns",
                    "do the work in the method, or take an Acknowledgment with ackMode MANUAL and return nothing");
        }
        boolean takesAcknowledgment = takes(method, Acknowledgment.class);
        if (ackMode != AckMode.MANUAL && takesAcknowledgment) {
            throw SpringErrors.method(
                    listener,
                    "takes an Acknowledgment with ackMode " + ackMode,
                    "set ackMode MANUAL, or leave the parameter out");
        }
        if (ackMode == AckMode.MANUAL && !takesAcknowledgment && !canSettle(method)) {
            throw SpringErrors.method(
                    listener,
                    "has ackMode MANUAL and no parameter to settle with",
                    "take an Acknowledgment or a ReceivedMessage, or choose another ackMode");
        }
        if (batch) {
            checkBatch(listener, method);
        }
    }

    private static void checkBatch(String listener, Method method) {
        long lists = Arrays.stream(method.getParameterTypes())
                .filter(type -> type == List.class)
                .count();
        if (lists != 1) {
            throw SpringErrors.method(
                    listener,
                    "has batch=true and " + lists + " parameters of type List",
                    "take exactly one List, of payloads, Message<…> or ReceivedMessage");
        }
        if (takes(method, ReceivedMessage.class)) {
            throw SpringErrors.method(
                    listener, "has batch=true and takes one ReceivedMessage", "take a List<ReceivedMessage>");
        }
        if (method.getReturnType() != void.class) {
            throw SpringErrors.method(
                    listener,
                    "has batch=true and returns a " + method.getReturnType().getName(),
                    "return nothing, as a reply belongs to one message; send replies with a RingtableTemplate");
        }
    }

    private static boolean isAsynchronous(Class<?> type) {
        return Future.class.isAssignableFrom(type)
                || CompletionStage.class.isAssignableFrom(type)
                || ClassUtils.getAllInterfacesForClassAsSet(type).stream()
                        .anyMatch(each -> each.getName().equals(REACTIVE));
    }

    private static boolean takes(Method method, Class<?> type) {
        return Arrays.asList(method.getParameterTypes()).contains(type);
    }

    /** Tells whether a parameter leads to the SDK's message: itself, in a list, or in the headers. */
    private static boolean canSettle(Method method) {
        for (int i = 0; i < method.getParameterCount(); i++) {
            MethodParameter parameter = new MethodParameter(method, i);
            ResolvableType type = ResolvableType.forMethodParameter(parameter);
            Class<?> element = type.getGeneric(0).resolve(Object.class);
            if (Message.class.isAssignableFrom(parameter.getParameterType())
                    || parameter.getParameterType() == ReceivedMessage.class
                    || element == ReceivedMessage.class
                    || element == Message.class
                    || parameter.hasParameterAnnotation(Headers.class)
                    || parameter.hasParameterAnnotation(Header.class)
                            && parameter.getParameterType().isAssignableFrom(ReceivedMessage.class)) {
                return true;
            }
        }
        return false;
    }
}
