/**
 * What every engine's store shares: opening by JDBC URL, the connection that writes and the pool that reads, schema
 * checks and migrations, row mapping, and the one place where an {@link java.sql.SQLException} becomes a
 * {@link io.ringtable.broker.store.StoreFailure}.
 * <p>
 * Thread: none of its own. Must not know: which engine it is, AMQP, Spring.
 */
package io.ringtable.broker.store.jdbc;
