package io.ringtable.spring.listener;

import io.ringtable.client.ReceivedMessage;
import io.ringtable.client.RingtableException;
import org.slf4j.LoggerFactory;

/** Decides what becomes of a message whose listener failed. Called on the listener's thread, once for each message. */
@FunctionalInterface
public interface RingtableErrorHandler {

    /**
     * Rejects messages that cannot be read, since they would fail again. All others have failed: they come again after
     * the broker's redelivery delay, and after too many failures the broker moves them to the dead-letter queue. Logs
     * each failure as a warning.
     */
    RingtableErrorHandler DEFAULT = (message, failure) -> {
        LoggerFactory.getLogger(RingtableErrorHandler.class).warn("{} failed", describe(message), failure);
        return failure.isUnreadable() ? Settlement.reject(failure.getMessage()) : Settlement.fail();
    };

    /**
     * Decides. Without effect for a message that the application has settled itself. If the handler throws, the message
     * has failed.
     */
    Settlement settle(ReceivedMessage message, ListenerFailedException failure);

    private static String describe(ReceivedMessage message) {
        try {
            return "Delivery " + message.deliveryCount() + " of message "
                    + message.messageId().orElse("without id") + " from " + message.address();
        } catch (RingtableException damaged) {
            return "A damaged message from " + message.address();
        }
    }
}
