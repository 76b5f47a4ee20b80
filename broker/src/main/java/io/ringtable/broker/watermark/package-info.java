/**
 * Watermarks: what the broker may run out of as a whole, the heap and the disk, and whether publishers are held back for it.
 * <p>
 * Thread: {@code watermarks} looks; any reads. It knows neither AMQP nor the store.
 */
package io.ringtable.broker.watermark;
