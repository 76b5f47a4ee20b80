package io.ringtable.broker.store;

/**
 * Says where one shard of the broker lies, as a database keeps it.
 *
 * @param shard its number
 * @param token random, at most 40 characters, made once for each shard and the same in all databases of the broker
 * @param here whether the shard lies in the database that keeps the row
 * @param store name of its store in the configuration
 * @param place address of its database, for people, without secrets
 */
public record PlacedShard(int shard, String token, boolean here, String store, String place) {}
