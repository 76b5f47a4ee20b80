/**
 * Asks the broker for one thing, by a link that lives until the answer: to delete a durable subscription or an address.
 * <p>
 * Thread: the I/O thread. Must not know: publishing, receiving, sockets.
 */
package io.ringtable.client.internal.request;
