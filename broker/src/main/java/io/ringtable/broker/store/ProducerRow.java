package io.ringtable.broker.store;

/**
 * Describes a producer, which publishes numbered messages to an address.
 *
 * @param producerId never reused in its shard
 * @param name the producer id that its application chose; unique on its address
 * @param incarnation rises whenever an application opens the producer anew; the first is 1
 * @param lastNumber number of its last stored message; 0 = none
 * @param usedAt when the producer was opened or its last message was taken, in ms since the epoch
 * @param owner name of the user who opened it first; null = nobody
 */
public record ProducerRow(
        long producerId, long addressId, String name, long incarnation, long lastNumber, long usedAt, String owner) {}
