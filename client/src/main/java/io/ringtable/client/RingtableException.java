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
        /** Blames the application's own settings or arguments; trying again changes nothing. */
        CONFIGURATION,
        /** Says that the broker does not accept this user, password or certificate. */
        SECURITY,
        /** Says that no connection could be had, or that one was lost for longer than the reconnect bound. */
        CONNECTION,
        /** Says that the broker refused a message, a link or a request: see {@link #condition()}. */
        REJECTED,
        /** Says that the answer took too long; a message may have been stored all the same. */
        TIMEOUT,
        /** Says that the client, publisher or subscription is closed. */
        CLOSED,
        /** Says that a message could not be encoded, or its body not read as asked. */
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

    /** Makes the errors that values of this package raise; those of the implementation are made there. */
    static RingtableException configuration(String what, String cure) {
        return new RingtableException("RT-5001", Reason.CONFIGURATION, what + ": " + cure, null, null);
    }

    static RingtableException content(String what) {
        return new RingtableException("RT-5014", Reason.CONTENT, "message cannot be encoded: " + what, null, null);
    }

    static RingtableException noImplementation(Throwable cause) {
        return new RingtableException(
                "RT-5009",
                Reason.CONFIGURATION,
                "the implementation of the client is not on the class path: put ringtable-client there unchanged. A jar"
                        + " that contains it needs io.ringtable.client.internal and the file META-INF/services/"
                        + ClientBuilder.class.getName() + " (Maven's shade plugin: ServicesResourceTransformer)",
                null,
                cause);
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
