/**
 * Holds addresses, subscriptions with their selectors, producers, and what topics retain.
 * <p>
 * Thread: any thread reads the immutable entries; only the committer changes the catalogue, in its own order.
 * Must not know: SQL, AMQP types, Spring.
 */
package io.ringtable.broker.catalog;
