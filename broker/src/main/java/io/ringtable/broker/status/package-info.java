/**
 * What a broker says about itself: its phase, and a snapshot for people and metrics.
 * <p>
 * Thread: any; everything is immutable. Must not know: how any of it is found out, AMQP frames, SQL, Spring.
 */
package io.ringtable.broker.status;
