/**
 * What there is to publish to and to read from: addresses, their quotas, and subscriptions.
 * <p>
 * Thread: entries are immutable and read by any thread; only the committer changes the catalogue, in its own order.
 * The one exception is {@link io.ringtable.broker.catalog.AddressQuota}, a counter that many threads move by
 * compare-and-set. Must not know: SQL, AMQP types, Spring.
 */
package io.ringtable.broker.catalog;
