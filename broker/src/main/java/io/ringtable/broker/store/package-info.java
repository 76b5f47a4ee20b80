/**
 * The port to the database: what the broker asks a store for, in the broker's words, one method one transaction.
 * <p>
 * Thread: see {@link io.ringtable.broker.store.RingStore}. Must not know: engines, JDBC types, AMQP, Spring.
 */
package io.ringtable.broker.store;
