package io.ringtable.broker.store;

import java.util.List;

/**
 * Tells how far a shard has taken messages over from the inbox of another database.
 *
 * @param number of the last call; the next one has the next number
 * @param inboxIds rows that the last call took over, by their ids in the other database, where they may still lie
 */
public record Crossing(long number, List<Long> inboxIds) {}
