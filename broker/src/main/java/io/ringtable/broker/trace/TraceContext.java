package io.ringtable.broker.trace;

import io.ringtable.broker.message.Message;
import java.nio.charset.StandardCharsets;

/**
 * Names the span that a message belongs to, as its publisher wrote it: W3C Trace Context, section 3.2, the value
 * {@code version-traceid-parentid-flags} of {@code traceparent}.
 * <p>
 * Immutable.
 *
 * @param traceId 32 lower-case hexadecimal digits, not all 0
 * @param spanId 16 lower-case hexadecimal digits, not all 0
 */
public record TraceContext(String traceId, String spanId) {
    private static final int TRACE_ID = 3;
    private static final int SPAN_ID = 36;
    private static final int FLAGS = 53;
    /** The length of a value of version 00: 2 + 1 + 32 + 1 + 16 + 1 + 2. Later versions may append to it. */
    private static final int LENGTH = 55;

    /**
     * Tells whether the text is a well-formed context whose publisher records its trace. Looks at the flags first,
     * since most messages are not sampled.
     */
    public static boolean isSampled(byte[] bytes, int at, int length) {
        return length >= LENGTH
                && (digit(bytes[at + LENGTH - 1]) & 1) == 1
                && isVersion(bytes, at, length)
                && isDash(bytes[at + TRACE_ID - 1])
                && isId(bytes, at + TRACE_ID, SPAN_ID - 1 - TRACE_ID)
                && isDash(bytes[at + SPAN_ID - 1])
                && isId(bytes, at + SPAN_ID, FLAGS - 1 - SPAN_ID)
                && isDash(bytes[at + FLAGS - 1])
                && digit(bytes[at + FLAGS]) >= 0;
    }

    private static boolean isVersion(byte[] bytes, int at, int length) {
        int high = digit(bytes[at]);
        int low = digit(bytes[at + 1]);
        boolean first = high == 0 && low == 0;
        boolean invalid = high < 0 || low < 0 || high == 15 && low == 15;
        return !invalid && (length == LENGTH || !first && isDash(bytes[at + LENGTH]));
    }

    private static boolean isId(byte[] bytes, int at, int length) {
        int any = 0;
        for (int i = at; i < at + length; i++) {
            int digit = digit(bytes[i]);
            if (digit < 0) {
                return false;
            }
            any |= digit;
        }
        return any != 0;
    }

    private static boolean isDash(byte character) {
        return character == '-';
    }

    /** Returns the value of a lower-case hexadecimal digit; -2, an even number, if it is none. */
    private static int digit(byte character) {
        if (character >= '0' && character <= '9') {
            return character - '0';
        }
        return character >= 'a' && character <= 'f' ? character - 'a' + 10 : -2;
    }

    /** Reads the context of a message; null if nobody records its trace. */
    public static TraceContext of(Message message) {
        int at = message.traceAt();
        return at == 0
                ? null
                : new TraceContext(
                        text(message, at + TRACE_ID, SPAN_ID - 1 - TRACE_ID),
                        text(message, at + SPAN_ID, FLAGS - 1 - SPAN_ID));
    }

    private static String text(Message message, int from, int length) {
        return new String(message.encoded(), from, length, StandardCharsets.ISO_8859_1);
    }
}
