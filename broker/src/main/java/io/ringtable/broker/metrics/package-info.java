/**
 * Reports the broker in numbers: one enum of all metrics, and the meters that carry them.
 * <p>
 * Thread: {@code sampler} reads the broker's status once a second; the committer and the event loops count into meters
 * of their own. Must not know: SQL, AMQP frames.
 */
package io.ringtable.broker.metrics;
