/**
 * Watches heap and disk for the whole broker, and decides whether their watermarks hold publishers back.
 * <p>
 * Thread: {@code watermarks} looks; any reads. Must not know: AMQP, the store.
 */
package io.ringtable.broker.watermark;
