package io.ringtable.broker.management;

/**
 * Describes a parameter behind the question mark.
 *
 * @param description for people
 */
public record QueryParameter(String name, Type type, String description) {
    /** Lists what the values of parameters are. */
    public enum Type {
        TEXT,
        NUMBER,
        /** Is {@code true}, or {@code false}; a name without a value is true. */
        FLAG,
        /** Is a time of ISO 8601, such as {@code 2026-01-31T12:00:00Z}. */
        TIME
    }
}
