package io.ringtable.broker.catalog;

import java.util.List;

/**
 * Holds what an address knows of messages that are stored already. It goes with an address that moves to another shard.
 *
 * @param ids oldest first
 */
public record StoredOnce(List<Numbers> producers, List<Id> ids) {

    /**
     * Says how far a producer has come.
     *
     * @param last number of its last stored message
     * @param usedAt ms since the epoch
     * @param owner name of the user whose it is; null = nobody
     */
    public record Numbers(String name, long incarnation, long last, long usedAt, String owner) {}

    /**
     * Is one duplicate id.
     *
     * @param position its place among the ids of the address
     * @param ordinal rises with every id of the address
     * @param bytes as stored
     */
    public record Id(int position, long ordinal, byte[] bytes) {}
}
