package io.ringtable.broker.amqp.consume;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.wire.DeliveryTags;
import java.util.IdentityHashMap;
import java.util.Map;

/**
 * Names the deliveries of one link. A queue with parts has deliveries of several homes, and each home checks the codes
 * with a key of its own.
 * <p>
 * Thread: the connection's event loop.
 */
final class LinkTags {
    private final ConsumerLink link;
    private final ConsumerLinks links;
    private final boolean coded;
    private final DeliveryTags ofLink; // of the home of its address; null if nothing of it is stored
    private final Map<Home, DeliveryTags> ofParts = new IdentityHashMap<>(0); // of other homes

    /** @param coded whether applications may settle the deliveries in the database */
    LinkTags(ConsumerLink link, ConsumerLinks links, boolean coded) {
        this.link = link;
        this.links = links;
        this.coded = coded;
        this.ofLink = link.subscription().isStored() ? tags(link.home()) : null;
    }

    private DeliveryTags tags(Home home) {
        links.dependOn(home);
        return new DeliveryTags(coded ? links.codes(home) : null);
    }

    byte[] of(Delivery delivery) {
        Subscription subscription = delivery.subscription();
        return subscription.isStored()
                ? ofHome(link.homeOf(delivery)).of(delivery.epoch(), subscription.id(), delivery.sequence())
                : DeliveryTags.numbered(delivery.sequence());
    }

    private DeliveryTags ofHome(Home home) {
        return home == link.home() ? ofLink : ofParts.computeIfAbsent(home, this::tags);
    }
}
