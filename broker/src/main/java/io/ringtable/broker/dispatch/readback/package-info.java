/**
 * Reads messages back from the store for subscriptions that fell behind memory, with a few reads in parallel, each
 * on its own thread.
 * <p>
 * Thread: {@code dispatcher} asks and takes over the results; {@code store-reader-N} reads. Must not know: JDBC,
 * delivery, redelivery.
 */
package io.ringtable.broker.dispatch.readback;
