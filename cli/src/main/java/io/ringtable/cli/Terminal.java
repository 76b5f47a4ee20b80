package io.ringtable.cli;

/**
 * Knows whether standard error is a terminal. The script {@code bin/ringtable} says so in a system property, since the
 * JDK's own answer ({@code System.console() != null}) changed its meaning in JDK 22.
 */
final class Terminal {
    private static final String PROPERTY = "ringtable.cli.terminal";

    private Terminal() {}

    /** Returns whether standard error is a terminal. */
    static boolean isAttached() {
        return Boolean.getBoolean(PROPERTY);
    }
}
