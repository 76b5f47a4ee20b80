/**
 * Brings a shard back from its tables.
 * <p>
 * Thread: the starter of the shard, before its agents. Must not know: AMQP, JDBC, Spring.
 */
package io.ringtable.broker.recovery;
