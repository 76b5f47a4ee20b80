/**
 * Decides whether this node may still answer for its shard: its lease, the renewal, and the end of its ownership.
 * <p>
 * Thread: any asks; {@code lease-keeper} and the committer move the deadline, only ever forward. Must not know: what
 * the shard holds, AMQP, JDBC, Spring.
 */
package io.ringtable.broker.ownership;
