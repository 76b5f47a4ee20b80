/**
 * The store on a PostgreSQL server, 15 and newer: segments that are inserted into and emptied as a whole, one function
 * call per verb, the lease by the server's clock.
 * <p>
 * Thread: none of its own. Must not know: other engines, AMQP, Spring.
 */
package io.ringtable.broker.store.postgresql;
