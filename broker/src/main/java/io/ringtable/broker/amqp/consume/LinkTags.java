package io.ringtable.broker.amqp.consume;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.consumer.Delivery;
import io.ringtable.wire.DeliveryTags;
import java.util.IdentityHashMap;
import java.util.Map;

/**
 * Names the deliveries of one link. An address with parts has deliveries of several homes. Each home checks the codes
 * with a key of its own, and numbers what is not stored by itself.
 * <p>
 * Thread: the connection's event loop.
 */
final class LinkTags {
    private final ConsumerLinks links;
    private final LinkHome home;
    private final boolean coded;
    private final DeliveryTags ofLink; // of the link's own home
    private final Map<Home, DeliveryTags> ofParts = new IdentityHashMap<>(0); // of other homes

    /** @param coded whether applications may settle the deliveries in the database */
    LinkTags(ConsumerLinks links, LinkHome home, boolean coded) {
        this.links = links;
        this.home = home;
        this.coded = coded;
        this.ofLink = tags(home.ofLink());
    }

    private DeliveryTags tags(Home from) {
        links.dependOn(from);
        return new DeliveryTags(coded ? links.codes(from) : null);
    }

    byte[] of(Delivery delivery) {
        Subscription subscription = delivery.subscription();
        Home from = home.of(delivery);
        DeliveryTags tags = ofHome(from); // from its first delivery on, the connection depends on that home
        if (subscription.isStored()) {
            return tags.of(delivery.epoch(), subscription.id(), delivery.sequence());
        }
        return from == home.ofLink()
                ? DeliveryTags.numbered(delivery.sequence())
                : DeliveryTags.numbered(delivery.sequence(), from.number());
    }

    private DeliveryTags ofHome(Home from) {
        return from == home.ofLink() ? ofLink : ofParts.computeIfAbsent(from, this::tags);
    }
}
