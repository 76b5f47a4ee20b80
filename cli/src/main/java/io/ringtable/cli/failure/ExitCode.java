package io.ringtable.cli.failure;

/** Lists the exit codes that scripts rely on; docs/operations.md and {@code --help} list them too. */
public final class ExitCode {
    /** The command is done completely. */
    public static final int DONE = 0;

    /** The command is not done, or not all of it; the last line on standard error says why. */
    public static final int FAILED = 1;

    /** The command line cannot be understood. */
    public static final int USAGE = 2;

    /** No broker answers at the given address. */
    public static final int NO_BROKER = 3;

    /** The broker refuses the user, the password or the certificate. */
    public static final int LOGIN_REFUSED = 4;

    private ExitCode() {}
}
