/**
 * Defines the port to the database in the broker's words; each method is one transaction.
 * <p>
 * Thread: see {@link io.ringtable.broker.store.RingStore}. Must not know: engines, JDBC types, AMQP, Spring.
 */
package io.ringtable.broker.store;
