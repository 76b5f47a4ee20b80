/**
 * Reads messages back from the store for subscriptions that fell behind memory: a few reads at once, each on a thread
 * of its own.
 * <p>
 * Thread: {@code dispatcher} asks and takes over what was found; {@code store-reader-N} reads. Must not know: JDBC,
 * delivery, redelivery.
 */
package io.ringtable.broker.dispatch.readback;
