package io.ringtable.broker.dispatch.browse;

import io.ringtable.broker.catalog.Subscription;
import java.util.List;

/**
 * Holds a part of a list of volatile subscriptions.
 *
 * @param next the id to go on after; 0 if there is nothing more
 */
public record VolatilePage(List<Item> items, long next) {
    /**
     * Shows one of them.
     *
     * @param owed messages that wait for consumers, or that consumers have
     * @param attended whether it has a consumer
     */
    public record Item(Subscription subscription, long owed, boolean attended) {}

    public VolatilePage {
        items = List.copyOf(items);
    }
}
