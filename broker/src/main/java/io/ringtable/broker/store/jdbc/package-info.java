/**
 * Holds the part that all engines share: opening by JDBC URL, the connection that writes, the pool that reads, schema
 * checks, migrations, row mapping. In one place an {@link java.sql.SQLException} becomes a
 * {@link io.ringtable.broker.store.StoreFailure}.
 * <p>
 * Thread: none of its own. Must not know: which engine it is, AMQP, Spring.
 */
package io.ringtable.broker.store.jdbc;
