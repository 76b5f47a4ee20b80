package io.ringtable.broker.inspect;

import java.util.List;

/**
 * Tells for whom a message was removed.
 *
 * @param removed how many subscriptions owe it no more
 * @param kept why it stays with others, each beginning with its code
 */
public record RemovedMessage(int removed, List<String> kept) {
    public RemovedMessage {
        kept = List.copyOf(kept);
    }
}
