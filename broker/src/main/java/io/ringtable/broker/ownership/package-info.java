/**
 * Whether this node may still answer for its shard: its lease, who renews it, and what ends its ownership.
 * <p>
 * Thread: any asks; {@code lease-keeper} and the committer move the deadline, only ever forward. Must not know: what the
 * shard holds, AMQP, JDBC, Spring.
 */
package io.ringtable.broker.ownership;
