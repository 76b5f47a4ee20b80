/**
 * Shows a client's statistics as Micrometer meters.
 * <p>
 * Thread: any; the registry's threads read. Must not know: anything but the public interface of the SDK.
 */
package io.ringtable.client.micrometer;
