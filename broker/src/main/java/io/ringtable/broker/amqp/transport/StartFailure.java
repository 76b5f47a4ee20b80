package io.ringtable.broker.amqp.transport;

/** The broker cannot listen; the message says why and what to do. */
public final class StartFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public StartFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
