/**
 * Changes the catalogue: addresses and subscriptions come and go. Each change takes its place between two flushes and is
 * durable before it is answered.
 * <p>
 * Thread: {@code committer}; any asks through {@link io.ringtable.broker.catalog.CatalogMailbox}. Must not know: who asks,
 * flushes, AMQP, JDBC, Spring.
 */
package io.ringtable.broker.catalog.change;
