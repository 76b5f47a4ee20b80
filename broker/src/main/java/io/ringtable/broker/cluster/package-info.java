/**
 * Works with the other nodes that serve shards of the same broker: who owns what, what their administrators set, and
 * which names they make.
 * <p>
 * Thread: {@code cluster-keeper}; any asks. Must not know: AMQP, JDBC, how a shard works inside.
 */
package io.ringtable.broker.cluster;
