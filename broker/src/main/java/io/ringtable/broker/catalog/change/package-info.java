/**
 * Changes the catalogue: creates and removes addresses and subscriptions. Each change takes its place between two
 * flushes and is durable before the answer.
 * <p>
 * Thread: {@code committer}; any thread asks through {@link io.ringtable.broker.catalog.CatalogMailbox}. Must not know:
 * its callers, flushes, AMQP, JDBC, Spring.
 */
package io.ringtable.broker.catalog.change;
