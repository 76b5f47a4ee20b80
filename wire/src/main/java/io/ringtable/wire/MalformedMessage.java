package io.ringtable.wire;

/**
 * Says where bytes are not an AMQP message, or beyond the bounds of one. The exception carries no stack, because it is
 * an answer to a client, not a defect.
 */
public final class MalformedMessage extends Exception {
    private static final long serialVersionUID = 1L;

    private final String code;

    /** Refuses bytes that are not a message: RT-4043. */
    public MalformedMessage(String text) {
        this(null, text);
    }

    /** @param code the error code of the passed bound; null if the bytes are not a message at all */
    public MalformedMessage(String code, String text) {
        super(text, null, false, false);
        this.code = code;
    }

    /** Returns the error code of the passed bound; null if the bytes are not a message at all. */
    public String code() {
        return code;
    }
}
