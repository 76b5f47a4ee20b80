/**
 * Brings clients to several shards of one process as if they were one. Each call goes to the home of the address that
 * it concerns.
 * <p>
 * Thread: any; nothing here has one of its own. Must not know: how a shard works inside, AMQP, JDBC, Spring.
 */
package io.ringtable.broker.home;
