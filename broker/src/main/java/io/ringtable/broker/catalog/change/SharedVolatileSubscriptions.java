package io.ringtable.broker.catalog.change;

import io.ringtable.broker.catalog.Catalog;
import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Refusal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Counts the links that attend shared volatile subscriptions, by client and name. Each exists as long as any link
 * attends it; nothing of it is stored.
 * <p>
 * Thread: committer.
 */
final class SharedVolatileSubscriptions {
    private record ClientName(String clientId, String name) {
        static ClientName of(Subscription subscription) {
            return new ClientName(subscription.clientId(), subscription.name());
        }
    }

    private record Attended(Subscription subscription, int attending, Runnable onGone) {
        Attended by(int links) {
            return new Attended(subscription, links, onGone);
        }
    }

    private final Catalog catalog;
    private final Map<ClientName, Attended> byClientName = new HashMap<>();

    /** @param catalog knows each as long as it exists */
    SharedVolatileSubscriptions(Catalog catalog) {
        this.catalog = catalog;
    }

    /**
     * Counts a link that attends a subscription.
     *
     * @param create makes the subscription for the first link
     * @param onGone runs once the last link has left the subscription, if this is the first one
     */
    Subscription attend(
            String clientId,
            String name,
            Address topic,
            Selector selector,
            Supplier<Subscription> create,
            Runnable onGone) {
        ClientName key = new ClientName(clientId, name);
        Attended known = byClientName.get(key);
        if (known != null && !known.subscription.reads(topic, selector, false)) {
            throw new Refusal.Refused(known.subscription.isInUse());
        }
        Attended now = known == null ? new Attended(create.get(), 1, onGone) : known.by(known.attending + 1);
        byClientName.put(key, now);
        catalog.addVolatile(now.subscription);
        return now.subscription;
    }

    /** Forgets those of a topic that is gone: its links end, or read the topic in its next home. */
    void deleted(Address topic) {
        List<Attended> gone = byClientName.values().stream()
                .filter(each -> each.subscription.address().equals(topic))
                .toList();
        gone.forEach(each -> {
            byClientName.remove(ClientName.of(each.subscription));
            catalog.removeVolatile(each.subscription);
            each.onGone.run();
        });
    }

    void leave(Subscription subscription) {
        ClientName key = ClientName.of(subscription);
        Attended known = byClientName.get(key);
        if (known == null || !known.subscription.equals(subscription)) {
            return;
        }
        if (known.attending > 1) {
            byClientName.put(key, known.by(known.attending - 1));
        } else {
            byClientName.remove(key);
            catalog.removeVolatile(subscription);
            known.onGone.run();
        }
    }
}
