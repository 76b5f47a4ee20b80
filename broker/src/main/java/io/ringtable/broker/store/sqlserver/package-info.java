/**
 * The store on SQL Server, 2019 and newer, and Azure SQL: slots that are updated in place, one procedure call per verb with
 * what it writes in table-valued parameters, the lease by the server's clock.
 * <p>
 * Thread: none of its own. Must not know: other engines, AMQP, Spring.
 */
package io.ringtable.broker.store.sqlserver;
