/**
 * Keeps a shard on SQL Server, 2019 and newer, and Azure SQL. Slots are updated in place; each verb is one procedure
 * call with its rows in table-valued parameters; the lease goes by the server's clock.
 * <p>
 * Thread: none of its own. Must not know: other engines, AMQP, Spring.
 */
package io.ringtable.broker.store.sqlserver;
