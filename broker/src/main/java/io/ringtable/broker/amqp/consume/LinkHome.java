package io.ringtable.broker.amqp.consume;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.dispatch.Home;
import io.ringtable.broker.dispatch.consumer.Delivery;

/**
 * Knows the home of one link, and the homes of deliveries that come from other parts of its address.
 * <p>
 * Thread: the connection's event loop.
 */
final class LinkHome {
    private final ConsumerLinks links;
    private final Subscription subscription;
    private final Home home;

    /** @param home of the address that the link names */
    LinkHome(ConsumerLinks links, Subscription subscription, Home home) {
        this.links = links;
        this.subscription = subscription;
        this.home = home;
    }

    /** Returns the home of the address that the link names. */
    Home ofLink() {
        return home;
    }

    Home of(Delivery delivery) {
        Subscription from = delivery.subscription();
        return from.id() == subscription.id() ? home : links.homeOfPart(from);
    }
}
