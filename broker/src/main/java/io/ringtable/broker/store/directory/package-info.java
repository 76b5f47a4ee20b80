/**
 * Defines the port to the directory: which shard each name lives in. The directory belongs to no shard and no owner.
 * <p>
 * Thread: any. Must not know: engines, JDBC types, shards, who asks.
 */
package io.ringtable.broker.store.directory;
