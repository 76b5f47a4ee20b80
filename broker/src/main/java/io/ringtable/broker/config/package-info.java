/**
 * Holds the properties under {@code ringtable.} in immutable records, each with its name, default, bounds and meaning.
 * Nothing else in the broker repeats them: every part takes the record of its concern.
 * <p>
 * Thread: any; immutable. Must not know: the use of the values.
 */
package io.ringtable.broker.config;
