/**
 * Shows a client's statistics as Micrometer meters. Threads: any. Must not know: anything but the public interface of
 * the SDK.
 */
package io.ringtable.client.micrometer;
