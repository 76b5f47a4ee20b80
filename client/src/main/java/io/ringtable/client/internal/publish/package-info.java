/**
 * Brings messages to the broker: the application's threads encode, wait for room and queue ({@code DefaultPublisher});
 * the I/O thread makes transfers and completes futures ({@code PublisherLink}).
 * <p>
 * Must not know: receiving, sockets.
 */
package io.ringtable.client.internal.publish;
