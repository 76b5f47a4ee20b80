/**
 * Says that this node is there, and hears which others are. {@code NodeKeeper} beats, {@code SeenNodes} is what it has
 * heard last, {@code NodeUrl} is where clients reach this node.
 * <p>
 * Thread: {@code node-keeper}. Must not know: connections, what a shard holds, who takes shards.
 */
package io.ringtable.broker.node;
