/**
 * Describes a broker from inside: its phase, and a snapshot for people and metrics.
 * <p>
 * Thread: any; everything is immutable. Must not know: where the facts come from, AMQP frames, SQL, Spring.
 */
package io.ringtable.broker.status;
