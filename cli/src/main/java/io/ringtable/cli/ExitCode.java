package io.ringtable.cli;

/** What a script can rely on; README.md and {@code --help} list the same. */
final class ExitCode {
    /** Everything that was asked for is done. */
    static final int DONE = 0;

    /** It was tried and is not, or not all, done; the last line on standard error says why. */
    static final int FAILED = 1;

    /** The command line cannot be understood. */
    static final int USAGE = 2;

    /** No broker answers at the address given. */
    static final int NO_BROKER = 3;

    /** The broker refuses the user, the password or the certificate. */
    static final int LOGIN_REFUSED = 4;

    private ExitCode() {}
}
