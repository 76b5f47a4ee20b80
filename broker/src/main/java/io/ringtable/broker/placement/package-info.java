/**
 * Says which shard lies in which database, as the configuration has it, and compares that with what the databases know.
 * <p>
 * Thread: that of the broker's start, and housekeeper. Must not know: what a shard does, AMQP, JDBC, Spring.
 */
package io.ringtable.broker.placement;
