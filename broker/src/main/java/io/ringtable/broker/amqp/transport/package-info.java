/**
 * Writes to sockets: gathers flushes, checks the lease before each write, and adds TLS.
 * <p>
 * Thread: event loops. Must not know: AMQP.
 */
package io.ringtable.broker.amqp.transport;
