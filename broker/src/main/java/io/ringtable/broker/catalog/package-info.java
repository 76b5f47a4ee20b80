/**
 * What there is to read from and to publish as: subscriptions, their selectors, producers, what topics retain.
 * <p>
 * Thread: entries are immutable and read by any thread; only the committer changes the catalogue, in its own order.
 * Must not know: SQL, AMQP types, Spring.
 */
package io.ringtable.broker.catalog;
