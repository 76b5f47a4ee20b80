/**
 * Serves the operations of administrators over HTTP: who logs in and how, and what browsers must not do for others.
 * <p>
 * Thread: HTTP's. Must not know: what the operations do, SQL, AMQP frames.
 */
package io.ringtable.broker.admin.http;
