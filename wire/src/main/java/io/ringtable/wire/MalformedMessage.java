package io.ringtable.wire;

/**
 * Says where bytes are no AMQP message, or a message beyond the bounds. It carries no stack, because it is an answer to
 * a client, not a defect.
 */
public final class MalformedMessage extends Exception {
    private static final long serialVersionUID = 1L;

    private final String code;

    /** Refuses bytes that are no message: RT-4043. */
    public MalformedMessage(String text) {
        this(null, text);
    }

    /** @param code the error code of the bound that is passed; null if the bytes are no message at all */
    public MalformedMessage(String code, String text) {
        super(text, null, false, false);
        this.code = code;
    }

    /** Returns the error code of the bound that is passed; null if the bytes are no message at all. */
    public String code() {
        return code;
    }
}
