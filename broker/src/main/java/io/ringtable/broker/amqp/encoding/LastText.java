package io.ringtable.broker.amqp.encoding;

import io.ringtable.wire.Encoding;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Keeps a text for the next message, since the messages of one producer mostly repeat it. Thread: one at a time.
 */
final class LastText {
    private static final int KEPT_MAX = 4 * MessageFacts.GROUP_ID_MAX;

    private byte[] bytes = new byte[0];
    private String text = "";

    /** Returns the text; null if the value is not a string. */
    String read(byte[] message, int position) {
        int code = message[position] & 0xff;
        if (code != Encoding.STRING_8 && code != Encoding.STRING_32) {
            return null;
        }
        int start = Encoding.textStart(message, position);
        int length = Encoding.textLength(message, position);
        if (length > KEPT_MAX) {
            return new String(message, start, length, StandardCharsets.UTF_8);
        }
        if (!Arrays.equals(bytes, 0, bytes.length, message, start, start + length)) {
            bytes = Arrays.copyOfRange(message, start, start + length);
            text = new String(bytes, StandardCharsets.UTF_8);
        }
        return text;
    }
}
