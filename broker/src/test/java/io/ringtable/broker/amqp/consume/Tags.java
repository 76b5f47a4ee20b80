package io.ringtable.broker.amqp.consume;

import io.ringtable.broker.message.DeliveryKey;
import io.ringtable.broker.store.RingStore;
import java.nio.charset.StandardCharsets;

/** Delivery tags as the broker makes them, for tests of what applications do with them. */
public final class Tags {
    private final DeliveryTags tags;

    private Tags(DeliveryKey key) {
        tags = new DeliveryTags(new DeliveryCodes(key));
    }

    /** Of whoever serves that store. */
    public static Tags of(RingStore store) {
        return with(store.keepDeliveryKey(DeliveryKey.random()).orElseThrow());
    }

    public static Tags with(DeliveryKey key) {
        return new Tags(key);
    }

    public String tag(long epoch, long subscription, long sequence) {
        return new String(tags.of(epoch, subscription, sequence), StandardCharsets.US_ASCII);
    }
}
