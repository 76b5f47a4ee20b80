package io.ringtable.broker.config;

import java.util.Map;
import java.util.Set;

/**
 * Names the properties of earlier versions that the broker no longer has, and says for each what counts instead. The
 * broker refuses a file that still sets one, like any unknown name, with this text.
 */
final class RemovedNames {
    private static final Map<String, String> CURES = Map.of(
            "ringtable.amqp.sessions-max",
            "a connection may have 1,024 sessions: remove it",
            "ringtable.amqp.parked-messages-max",
            "a fifth of ringtable.amqp.link-credit may wait for a full address: remove it, or set that",
            "ringtable.amqp.parked-bytes-max",
            "a quarter of ringtable.amqp.buffered-bytes-max may wait for a full address: remove it, or set that",
            "ringtable.amqp.outbound-bytes-max",
            "deliveries pause while a client leaves 1 MB unread: remove it",
            "ringtable.commit.inbox-works",
            "it follows from ringtable.commit.inbox-bytes-max: remove it, or set that",
            "ringtable.commit.linger",
            "a flush waits for more messages where that pays, 1 ms at most: remove it",
            "ringtable.commit.settle-delay",
            "settlements wait 2 ms for others: remove it");

    private RemovedNames() {}

    static Set<String> names() {
        return CURES.keySet();
    }

    /** Says what counts instead, and what to do; null if the broker never had the property. */
    static String cure(String name) {
        String plain = PropertyNames.plain(name);
        for (Map.Entry<String, String> removed : CURES.entrySet()) {
            if (PropertyNames.plain(removed.getKey()).equals(plain)) {
                return removed.getValue();
            }
        }
        return null;
    }
}
