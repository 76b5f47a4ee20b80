/**
 * Carries the acceptance tests. The package has the broker as a process that can be killed and paused, and a PostgreSQL
 * server of the test's own. It also has the SQL Server of the store's tests, raw AMQP, and the accounts that decide
 * whether a run was right.
 * <p>
 * Thread: the test's, except where a class says otherwise. Must not know: any class of the broker, except that server.
 */
package io.ringtable.acceptance.harness;
