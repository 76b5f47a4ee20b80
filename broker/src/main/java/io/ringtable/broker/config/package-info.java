/**
 * The properties under {@code ringtable.}: immutable records with their defaults and bounds, and the refusal of
 * whatever is unknown or out of bounds, by name, before anything is opened.
 * <p>
 * Thread: none; read once at start. Must not know: what the values are used for.
 */
package io.ringtable.broker.config;
