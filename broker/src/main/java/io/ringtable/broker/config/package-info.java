/**
 * Holds the properties under {@code ringtable.} in immutable records with their defaults and bounds. Refuses unknown
 * names and values out of bounds, by name, before the broker opens anything.
 * <p>
 * Thread: none; read once at start. Must not know: the use of the values.
 */
package io.ringtable.broker.config;
