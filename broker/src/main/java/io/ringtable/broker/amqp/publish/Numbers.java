package io.ringtable.broker.amqp.publish;

import io.ringtable.broker.amqp.encoding.BatchFormat;
import io.ringtable.broker.catalog.Producer;
import java.nio.ByteBuffer;
import org.apache.qpid.protonj2.types.DeliveryTag;

/**
 * What the delivery tag of a transfer says on a link with a producer: two 64-bit integers, most significant byte first.
 *
 * @param first number of its first message; each further one of a batch has the next
 * @param previous number of the message that was sent before and not refused; 0 = none
 */
public record Numbers(Producer producer, long first, long previous) {
    private static final int TAG_BYTES = 2 * Long.BYTES;
    private static final long MAX = Long.MAX_VALUE - BatchFormat.MESSAGES_MAX;

    /** Null if the tag says nothing of the kind. */
    public static Numbers of(Producer producer, DeliveryTag tag) {
        if (tag == null || tag.tagLength() != TAG_BYTES) {
            return null;
        }
        ByteBuffer bytes = ByteBuffer.wrap(tag.tagBytes());
        long first = bytes.getLong();
        long previous = bytes.getLong();
        return previous < 0 || previous >= first || first > MAX ? null : new Numbers(producer, first, previous);
    }
}
