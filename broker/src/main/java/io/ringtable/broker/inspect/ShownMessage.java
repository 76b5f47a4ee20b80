package io.ringtable.broker.inspect;

import io.ringtable.broker.message.Message;
import java.time.Instant;
import java.util.Map;

/**
 * Shows one message decoded. Fields that it does not have are null.
 *
 * @param sequence its number in the shard, or that which its volatile subscription gave it
 * @param subscription id of that volatile subscription; null if the message is stored
 * @param place ring, backlog or memory
 * @param login user who logged in to publish it
 * @param publishedBy that login in words, or who else it was
 * @param bytes length of the encoded message
 */
public record ShownMessage(
        long sequence,
        Long subscription,
        String address,
        String place,
        Instant publishedAt,
        String login,
        String publishedBy,
        Instant expiresAt,
        Instant deliverAt,
        int priority,
        long bytes,
        Map<String, Object> header,
        Map<String, Object> properties,
        Map<String, Object> applicationProperties,
        Map<String, Object> annotations,
        DecodedBody body) {

    /** @param volatileSubscription null if the message is stored */
    static ShownMessage of(
            Message message,
            long sequence,
            Long volatileSubscription,
            long bytes,
            String place,
            DecodedMessage decoded) {
        return new ShownMessage(
                sequence,
                volatileSubscription,
                message.address().name(),
                place,
                MessageRows.time(message.publishedAt()),
                message.login().user(),
                message.login().text(),
                MessageRows.time(message.expiresAt()),
                MessageRows.time(message.deliverAt()),
                message.priority(),
                bytes,
                decoded.header(),
                decoded.properties(),
                decoded.applicationProperties(),
                decoded.annotations(),
                decoded.body());
    }
}
