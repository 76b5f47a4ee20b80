/**
 * Gives committed messages to consumers: owed sets, credit, deliveries, redelivery and dead letters.
 * <p>
 * Thread: {@code dispatcher}; others come through {@link io.ringtable.broker.dispatch.DispatcherMailbox}. Must not know:
 * JDBC, protonj2, Spring.
 */
package io.ringtable.broker.dispatch;
