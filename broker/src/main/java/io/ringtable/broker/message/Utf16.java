package io.ringtable.broker.message;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Handles text as SQL Server and JSON pass it: a surrogate may stand alone there. UTF-8, and so AMQP, has no form for
 * it.
 * <p>
 * Thread: any; holds nothing.
 */
public final class Utf16 {
    private static final char REPLACEMENT = '\uFFFD';

    private Utf16() {}

    /** Tells whether every surrogate has its other half. */
    public static boolean isWellFormed(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (isLone(text, i)) {
                return false;
            }
        }
        return true;
    }

    /** Tells whether the character there is a surrogate without its other half. */
    private static boolean isLone(String text, int i) {
        char c = text.charAt(i);
        if (Character.isHighSurrogate(c)) {
            return i + 1 == text.length() || !Character.isLowSurrogate(text.charAt(i + 1));
        }
        return Character.isLowSurrogate(c) && (i == 0 || !Character.isHighSurrogate(text.charAt(i - 1)));
    }

    /** Returns the text with U+FFFD for each surrogate that stands alone, for people and dead letters. */
    public static String repaired(String text) {
        StringBuilder repaired = new StringBuilder(text);
        for (int i = 0; i < text.length(); i++) {
            if (isLone(text, i)) {
                repaired.setCharAt(i, REPLACEMENT);
            }
        }
        return repaired.toString();
    }

    /** Returns the text that {@link #toUtf8} has written, surrogates that stand alone included. */
    public static String ofUtf8(byte[] bytes) {
        StringBuilder text = new StringBuilder(bytes.length);
        int from = 0;
        for (int i = 0; i + 2 < bytes.length; i++) {
            if ((bytes[i] & 0xFF) == 0xED && (bytes[i + 1] & 0xFF) >= 0xA0) { // such bytes begin nothing else
                text.append(new String(bytes, from, i - from, StandardCharsets.UTF_8));
                text.append((char) (0xD000 | (bytes[i + 1] & 0x3F) << 6 | bytes[i + 2] & 0x3F));
                i += 2;
                from = i + 1;
            }
        }
        return text.append(new String(bytes, from, bytes.length - from, StandardCharsets.UTF_8))
                .toString();
    }

    /**
     * Returns the text in UTF-8. A surrogate that stands alone takes its three bytes, which no decoder of UTF-8
     * accepts.
     */
    public static byte[] toUtf8(String text) {
        if (isWellFormed(text)) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length() * 3);
        int from = 0;
        for (int i = 0; i < text.length(); i++) {
            if (isLone(text, i)) {
                bytes.writeBytes(text.substring(from, i).getBytes(StandardCharsets.UTF_8));
                char c = text.charAt(i);
                bytes.write(0xE0 | c >> 12);
                bytes.write(0x80 | c >> 6 & 0x3F);
                bytes.write(0x80 | c & 0x3F);
                from = i + 1;
            }
        }
        bytes.writeBytes(text.substring(from).getBytes(StandardCharsets.UTF_8));
        return bytes.toByteArray();
    }
}
