/**
 * Turns messages into bytes and back, as AMQP 1.0 section 3.2 lays them out.
 * <p>
 * Thread: the application's. Must not know: connections, links, Netty.
 */
package io.ringtable.client.internal.encoding;
