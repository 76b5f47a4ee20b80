package io.ringtable.cli.terminal;

/**
 * Knows whether standard output and standard error are terminals. The script {@code bin/ringtable} says so in system
 * properties, since the JDK's own answer ({@code System.console() != null}) changed its meaning in JDK 22.
 */
public final class Terminal {
    public static final String PROPERTY = "ringtable.cli.terminal"; // of standard error
    public static final String OUTPUT_PROPERTY = "ringtable.cli.terminal.output";

    private Terminal() {}

    /** Returns whether standard error is a terminal. */
    public static boolean isAttached() {
        return Boolean.getBoolean(PROPERTY);
    }

    /** Returns whether standard output is a terminal. */
    public static boolean takesOutput() {
        return Boolean.getBoolean(OUTPUT_PROPERTY);
    }
}
