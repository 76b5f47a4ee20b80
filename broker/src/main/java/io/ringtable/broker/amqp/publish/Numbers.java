package io.ringtable.broker.amqp.publish;

import io.ringtable.broker.catalog.Producer;
import io.ringtable.wire.ProducerTag;
import org.apache.qpid.protonj2.types.DeliveryTag;

/**
 * What the delivery tag of a transfer says on a link with a producer: {@link ProducerTag}.
 *
 * @param first number of its first message; each further one of a batch has the next
 * @param previous number of the message that was sent before and not refused; 0 = none
 */
public record Numbers(Producer producer, long first, long previous) {
    /** Null if the tag says nothing of the kind. */
    public static Numbers of(Producer producer, DeliveryTag tag) {
        byte[] bytes = tag == null ? null : tag.tagBytes();
        return bytes != null && ProducerTag.isValid(bytes)
                ? new Numbers(producer, ProducerTag.first(bytes), ProducerTag.previous(bytes))
                : null;
    }
}
