package io.ringtable.cli.bridge;

/** Says why a bridge ends, or why it has to begin again: one line that starts with a code. */
public final class BridgeFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Says what kind of failure it is, for the exit code of a command. */
    public enum Reason {
        /** The other side is not there, or is for now not able: another attempt may succeed. */
        PASSING,
        /** The broker refuses the user or the password, or shows a certificate that is not trusted. */
        LOGIN,
        /** Another attempt would end in the same way. */
        FINAL,
        /** The bridge does not understand what it was asked for. */
        USAGE
    }

    private final Reason reason;

    /**
     * @param code stable, {@code RT-6nnn}; begins the line
     * @param text what failed, the values, the cure
     */
    BridgeFailure(Reason reason, String code, String text) {
        super(code + " " + text);
        this.reason = reason;
    }

    /** Returns the kind of failure. */
    public Reason reason() {
        return reason;
    }
}
