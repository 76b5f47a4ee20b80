package io.ringtable.spring.listener;

/** Reports that a listener could not process a message, with what was thrown as the cause. */
public final class ListenerFailedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final boolean unreadable;

    private ListenerFailedException(String text, boolean unreadable, Throwable cause) {
        super(text, cause);
        this.unreadable = unreadable;
    }

    /** Reports a message of which the arguments of the method cannot be made; a second attempt would fail as well. */
    static ListenerFailedException unreadable(String listener, Throwable cause) {
        return new ListenerFailedException(
                "RT-5046 " + listener + " cannot read a message (" + cause.getMessage()
                        + "): correct its sender, the method's parameters or the message converter",
                true,
                cause);
    }

    /** Reports that the method, its reply or its transaction failed. */
    static ListenerFailedException failed(String listener, Throwable cause) {
        return new ListenerFailedException("RT-5047 " + listener + " failed (" + cause + ")", false, cause);
    }

    /** Tells whether the message could not be read: converted, validated, or bound to the parameters of the method. */
    public boolean isUnreadable() {
        return unreadable;
    }
}
