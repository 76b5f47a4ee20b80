package io.ringtable.broker.amqp.transport;

/** Says that the broker cannot listen; the message has the cause and the cure. */
public final class StartFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public StartFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
