package io.ringtable.broker.amqp.encoding;

/**
 * Bytes that are no AMQP message, or one beyond the bounds; the text says where. Carries no stack: it is an answer to a client, not a
 * defect.
 */
public final class MalformedMessage extends Exception {
    private static final long serialVersionUID = 1L;

    private final String code;

    /** Bytes that are no message: RT-4043. */
    public MalformedMessage(String text) {
        this(null, text);
    }

    /** @param code of the bound that is passed; null if the bytes are no message at all */
    public MalformedMessage(String code, String text) {
        super(text, null, false, false);
        this.code = code;
    }

    /** Null if the bytes are no message at all. */
    public String code() {
        return code;
    }
}
