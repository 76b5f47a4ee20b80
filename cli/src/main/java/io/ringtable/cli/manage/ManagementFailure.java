package io.ringtable.cli.manage;

/** Says why a broker did not do what it was asked for over HTTP: one line that starts with a code. */
public final class ManagementFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Says what kind of failure it is, for the exit code of a command. */
    public enum Reason {
        /** Nobody answers, or only later. */
        NO_BROKER,
        /** The broker refuses the login, or shows a certificate that is not trusted. */
        LOGIN,
        /** A broker answers, and does not own what it is asked about now: another attempt may succeed. */
        NOT_NOW,
        /** The broker refuses what it is asked for. */
        REFUSED,
        /** The broker cannot be asked as it was said. */
        USAGE
    }

    private final Reason reason;

    /**
     * @param code stable; the broker's own where the broker says why
     * @param text what failed, the values, the cure
     */
    ManagementFailure(Reason reason, String code, String text) {
        super(code + " " + text);
        this.reason = reason;
    }

    /** Returns the kind of failure. */
    public Reason reason() {
        return reason;
    }

    /** Returns whether the same question may be answered a little later. */
    public boolean mayPass() {
        return reason == Reason.NO_BROKER || reason == Reason.NOT_NOW;
    }
}
