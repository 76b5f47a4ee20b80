package io.ringtable.cli;

/**
 * Whether a person is watching. {@code bin/ringtable} knows and says so in a system property; the JDK's own answer
 * ({@code System.console() != null}) changed its meaning in JDK 22.
 */
final class Terminal {
    private static final String PROPERTY = "ringtable.cli.terminal";

    private Terminal() {}

    /** True if standard error is a terminal. */
    static boolean isAttached() {
        return Boolean.getBoolean(PROPERTY);
    }
}
