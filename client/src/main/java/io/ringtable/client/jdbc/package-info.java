/**
 * Publishes and acknowledges inside the application's own database transaction, through the broker's inbox tables.
 * <p>
 * Thread: the caller's; nothing here holds a connection to the broker. Must not know: the implementation except its
 * errors, AMQP. {@code SpringTransaction} alone knows Spring.
 */
package io.ringtable.client.jdbc;
