package io.ringtable.spring.listener;

import io.ringtable.client.ReceivedMessage;
import io.ringtable.spring.RingtableOperations;
import io.ringtable.spring.internal.SpringErrors;
import io.ringtable.spring.support.RingtableHeaders;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.springframework.messaging.Message;

/**
 * Sends what a listener's method returned: to the address that the request names, else to that of {@code @SendTo}. The
 * reply carries the request's correlation id, or else its message id; a reply that is a Message has headers of its own.
 */
final class ReplySender {
    private final String listener;
    private final RingtableOperations template;
    private final String defaultAddress; // null = none
    private final boolean transactional;

    /** @param transactional whether a reply is part of the database transaction */
    ReplySender(String listener, RingtableOperations template, String defaultAddress, boolean transactional) {
        this.listener = listener;
        this.template = template;
        this.defaultAddress = defaultAddress;
        this.transactional = transactional;
    }

    /** Sends, and returns when the reply is stored, or part of the transaction. */
    void send(ReceivedMessage request, Object reply) {
        String address = request.replyTo()
                .or(() -> Optional.ofNullable(defaultAddress))
                .orElseThrow(() -> SpringErrors.noReplyAddress(
                        listener, request.messageId().orElse("without id")));
        Map<String, Object> headers = new HashMap<>();
        request.correlationId()
                .or(request::messageId)
                .ifPresent(id -> headers.put(RingtableHeaders.CORRELATION_ID, id));
        Object payload = reply;
        if (reply instanceof Message<?> message) {
            payload = message.getPayload();
            headers.putAll(message.getHeaders());
        }
        if (transactional) {
            template.convertAndSendInTransaction(address, payload, headers);
        } else {
            template.convertAndSend(address, payload, headers);
        }
    }
}
