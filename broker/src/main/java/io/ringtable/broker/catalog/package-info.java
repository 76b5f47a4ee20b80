/**
 * Holds the nodes to publish to and to read from: addresses, subscriptions, their selectors, producers, and what topics
 * retain.
 * <p>
 * Thread: any thread reads the immutable entries; only the committer changes the catalogue, in its own order.
 * Must not know: SQL, AMQP types, Spring.
 */
package io.ringtable.broker.catalog;
