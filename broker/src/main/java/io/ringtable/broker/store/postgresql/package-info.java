/**
 * Keeps a shard on a PostgreSQL server, 15 and newer. Segments take inserts and are emptied as a whole; each verb is
 * one function call; the lease goes by the server's clock.
 * <p>
 * Thread: none of its own. Must not know: other engines, AMQP, Spring.
 */
package io.ringtable.broker.store.postgresql;
