package io.ringtable.broker.amqp.consume;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.wire.DeliveryTags;
import java.util.Arrays;

/**
 * Names the deliveries of one link. A queue with parts has deliveries of several shards, and each shard checks the
 * codes with a key of its own.
 * <p>
 * Thread: the connection's event loop.
 */
final class LinkTags {
    private final ConsumerLinks links;
    private final boolean coded;
    private DeliveryTags[] byShard = {}; // null = no delivery of that shard so far

    /** @param coded whether applications may settle the deliveries in the database */
    LinkTags(ConsumerLinks links, boolean coded) {
        this.links = links;
        this.coded = coded;
    }

    byte[] of(Delivery delivery) {
        Subscription subscription = delivery.subscription();
        return subscription.isStored()
                ? ofHome(links.homeOf(subscription)).of(delivery.epoch(), subscription.id(), delivery.sequence())
                : DeliveryTags.numbered(delivery.sequence());
    }

    private DeliveryTags ofHome(Home home) {
        int shard = home.number();
        if (shard >= byShard.length) {
            byShard = Arrays.copyOf(byShard, shard + 1);
        }
        if (byShard[shard] == null) {
            links.dependOn(home);
            byShard[shard] = new DeliveryTags(coded ? links.codes(home) : null);
        }
        return byShard[shard];
    }
}
