package io.ringtable.client.internal.connection;

import io.ringtable.client.SubscriptionOptions;
import java.util.UUID;

/**
 * Names links as JMS clients do: the broker knows a subscription by its links' name, up to a bar. Links of one shared
 * subscription differ behind the bar, and say there that no client owns the subscription.
 */
public final class LinkNames {
    private static final String SHARED_BY_ALL = "|global";

    private LinkNames() {}

    /** Returns a name for a link that receives. */
    public static String receiving(SubscriptionOptions options) {
        String own = UUID.randomUUID().toString();
        return options.subscriptionName()
                .map(name -> options.isShared() ? name + SHARED_BY_ALL + "-" + own : name)
                .orElseGet(() -> "subscription-" + own);
    }

    /** Returns the name by which a durable subscription is looked up. */
    public static String lookingUp(String subscription, boolean shared) {
        return shared ? subscription + SHARED_BY_ALL : subscription;
    }
}
