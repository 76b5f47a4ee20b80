package io.ringtable.broker.amqp.encoding;

import io.ringtable.wire.Encoding;
import io.ringtable.wire.MalformedMessage;

/** Knows the fields of a message's header and their types (AMQP 1.0 section 3.2.1). Thread: any. */
final class HeaderFields {
    private static final String FIELD = "RT-4302";
    private static final String[] NAMES = {"durable", "priority", "ttl", "first-acquirer", "delivery-count"};
    static final int COUNT = NAMES.length;

    private HeaderFields() {}

    /** Refuses a header that clients cannot read; its message would go from one to the next until it is dead. */
    static void requireType(int field, int code) throws MalformedMessage {
        boolean fits = code == Encoding.NULL
                || switch (field) {
                    case 0, 3 -> code == Encoding.TRUE || code == Encoding.FALSE || code == Encoding.BOOLEAN;
                    case 1 -> code == Encoding.UBYTE;
                    default -> code == Encoding.UINT_0 || code == Encoding.UINT_SMALL || code == Encoding.UINT;
                };
        if (!fits) {
            throw new MalformedMessage(
                    FIELD,
                    "header field " + NAMES[field] + " has a value of type 0x" + Integer.toHexString(code)
                            + ": durable and first-acquirer are booleans, priority is a ubyte, ttl and"
                            + " delivery-count are uints");
        }
    }
}
