package io.ringtable.broker.catalog;

import io.ringtable.broker.message.Address;

/**
 * Shows a known producer at one instant. Immutable.
 *
 * @param id never reused in its shard
 * @param incarnation number of its last opening, from 1
 * @param lastNumber number of its last stored message; 0 = none
 * @param usedAt when a message of it was stored last, or when it was opened, in ms since the epoch
 * @param owner name of the user whose it is; null = nobody
 * @param attendedBy owner of the link that attends it, such as {@code user 'shop'}; empty if it has none; null if no
 *     link attends
 */
public record ProducerEntry(
        long id,
        Address address,
        String name,
        long incarnation,
        long lastNumber,
        long usedAt,
        String owner,
        String attendedBy) {}
