/**
 * Keeps the nodes of a database: the port {@code NodeTable}, beside that of a shard.
 * <p>
 * Thread: the one that beats. Must not know: engines, shards and what they hold.
 */
package io.ringtable.broker.store.node;
