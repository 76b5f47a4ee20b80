/**
 * Runs one shard that this node owns: wires its parts, starts and ends its agents, and makes its policies count. A
 * process gives the same parts to each of its shards ({@code ShardParts}).
 * <p>
 * Thread: the one that starts and closes the shard. Must not know: sockets and connections, who takes the shard and for
 * how long.
 */
package io.ringtable.broker.shard;
