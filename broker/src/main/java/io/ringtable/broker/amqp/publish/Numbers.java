package io.ringtable.broker.amqp.publish;

import io.ringtable.broker.catalog.Producer;
import io.ringtable.wire.ProducerTag;
import org.apache.qpid.protonj2.types.DeliveryTag;

/**
 * Holds the numbers in the {@link ProducerTag} of a transfer.
 *
 * @param first the number of its first message; each further one of a batch has the next
 * @param previous the number of the message that was sent before and not refused; 0 = none
 */
public record Numbers(Producer producer, long first, long previous) {
    /** Returns null if the tag has no such numbers. */
    public static Numbers of(Producer producer, DeliveryTag tag) {
        byte[] bytes = tag == null ? null : tag.tagBytes();
        return bytes != null && ProducerTag.isValid(bytes)
                ? new Numbers(producer, ProducerTag.first(bytes), ProducerTag.previous(bytes))
                : null;
    }
}
