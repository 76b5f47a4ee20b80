package io.ringtable.spring.listener;

import io.ringtable.client.ReceivedMessage;
import io.ringtable.spring.RingtableOperations;
import io.ringtable.spring.support.RingtableHeaders;
import io.ringtable.spring.support.SpringErrors;
import java.util.Map;
import java.util.Optional;

/**
 * Sends what a listener's method returned: to the address that the request names, else to that of {@code @SendTo}. The
 * reply carries the request's correlation id, or else its message id.
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
        Map<String, Object> headers = request.correlationId()
                .or(request::messageId)
                .map(id -> Map.<String, Object>of(RingtableHeaders.CORRELATION_ID, id))
                .orElse(Map.of());
        if (transactional) {
            template.convertAndSendInTransaction(address, reply, headers);
        } else if (reply instanceof org.springframework.messaging.Message<?> message) {
            template.send(address, withHeaders(message, headers));
        } else {
            template.convertAndSend(address, reply, headers);
        }
    }

    private static org.springframework.messaging.Message<?> withHeaders(
            org.springframework.messaging.Message<?> message, Map<String, Object> headers) {
        return org.springframework.messaging.support.MessageBuilder.fromMessage(message)
                .copyHeadersIfAbsent(headers)
                .build();
    }
}
