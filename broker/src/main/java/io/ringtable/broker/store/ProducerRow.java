package io.ringtable.broker.store;

/**
 * Who publishes numbered messages to an address.
 *
 * @param producerId never reused in its shard
 * @param name the producer id that its application chose; unique on its address
 * @param incarnation rises whenever an application opens it anew; the first is 1
 * @param lastNumber number of its last message that is stored; 0 = none
 * @param usedAt when it was opened or its last message was taken, in ms since the epoch
 */
public record ProducerRow(
        long producerId, long addressId, String name, long incarnation, long lastNumber, long usedAt) {}
