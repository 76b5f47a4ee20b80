/**
 * Sockets: flushes that are gathered, a lease that is looked at before each write, TLS.
 * <p>
 * Thread: event loops. Must not know: AMQP.
 */
package io.ringtable.broker.amqp.transport;
