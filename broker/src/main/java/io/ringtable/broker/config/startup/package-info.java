/**
 * Refuses a start with properties that the broker does not have or cannot use, in one log line per mistake.
 * <p>
 * Thread: the main thread, before the broker opens anything. Must not know: the broker beyond its properties.
 */
package io.ringtable.broker.config.startup;
