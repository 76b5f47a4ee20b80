package io.ringtable.client;

import java.util.Objects;
import java.util.Optional;

/**
 * Reports a failure of the SDK. The text starts with a stable code, and names what failed, with its values, and the
 * cure.
 */
public class RingtableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Classifies failures, for code that has to choose its next step. */
    public enum Reason {
        /** The application's own settings or arguments; trying again changes nothing. */
        CONFIGURATION,
        /** The broker does not accept this user, password or certificate. */
        SECURITY,
        /** No connection could be had, or it was lost and the reconnect bound is exceeded. */
        CONNECTION,
        /** The broker said no to a message, a link or a request: see {@link #condition()}. */
        REJECTED,
        /** It took too long; a message may have been stored all the same. */
        TIMEOUT,
        /** The client, publisher or subscription is closed. */
        CLOSED,
        /** A message could not be encoded or its body could not be read as asked. */
        CONTENT
    }

    private final String code;
    private final Reason reason;
    private final String condition;

    public RingtableException(String code, Reason reason, String text, String condition, Throwable cause) {
        super(code + " " + text, cause);
        this.code = Objects.requireNonNull(code, "code");
        this.reason = Objects.requireNonNull(reason, "reason");
        this.condition = condition;
    }

    /** Returns the code, for example {@code RT-5011}; docs/client.md lists them. */
    public String code() {
        return code;
    }

    public Reason reason() {
        return reason;
    }

    /** Returns the broker's AMQP error condition, for example {@code amqp:resource-limit-exceeded}, if it gave one. */
    public Optional<String> condition() {
        return Optional.ofNullable(condition);
    }
}
