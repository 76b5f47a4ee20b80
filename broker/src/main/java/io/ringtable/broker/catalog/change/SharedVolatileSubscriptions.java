package io.ringtable.broker.catalog.change;

import io.ringtable.broker.catalog.Selector;
import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.message.Address;
import io.ringtable.broker.message.Refusal;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Shared volatile subscriptions by client and name. Each is there as long as a link attends it, whosever link that is;
 * nothing of it is stored.
 * <p>
 * Thread: committer.
 */
final class SharedVolatileSubscriptions {
    private record ClientName(String clientId, String name) {
        static ClientName of(Subscription subscription) {
            return new ClientName(subscription.clientId(), subscription.name());
        }
    }

    private record Attended(Subscription subscription, int attending) {}

    private final Map<ClientName, Attended> byClientName = new HashMap<>();

    /** @param create for the first who attends */
    Subscription attend(String clientId, String name, Address topic, Selector selector, Supplier<Subscription> create) {
        ClientName key = new ClientName(clientId, name);
        Attended known = byClientName.get(key);
        if (known != null && !known.subscription.reads(topic, selector, false)) {
            throw new Refusal.Refused(isInUse(known.subscription));
        }
        Subscription subscription = known == null ? create.get() : known.subscription;
        byClientName.put(key, new Attended(subscription, known == null ? 1 : known.attending + 1));
        return subscription;
    }

    void leave(Subscription subscription) {
        byClientName.computeIfPresent(
                ClientName.of(subscription),
                (key, known) -> !known.subscription.equals(subscription)
                        ? known
                        : known.attending == 1 ? null : new Attended(subscription, known.attending - 1));
    }

    static Refusal isInUse(Subscription shared) {
        return new Refusal(
                Refusal.Reason.IN_USE,
                "RT-2017",
                shared + " has active consumers: it cannot change its topic or selector until they are closed");
    }
}
