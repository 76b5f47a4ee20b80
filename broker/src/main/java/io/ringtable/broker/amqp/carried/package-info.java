/**
 * Reads what another node says when it opens a relay, and of each client that the relay carries (ADR 65).
 * <p>
 * Thread: the connection's event loop. Must not know: shards, what serves the clients.
 */
package io.ringtable.broker.amqp.carried;
