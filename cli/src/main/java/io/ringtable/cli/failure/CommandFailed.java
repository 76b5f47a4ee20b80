package io.ringtable.cli.failure;

/** Says why a command failed: one line on standard error and the exit code. */
public final class CommandFailed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    /**
     * @param code stable, {@code RT-6nnn}; begins the line
     * @param text what failed, the values, the cure
     */
    public CommandFailed(int exitCode, String code, String text) {
        super(code + " " + text);
        this.exitCode = exitCode;
    }

    public int exitCode() {
        return exitCode;
    }
}
