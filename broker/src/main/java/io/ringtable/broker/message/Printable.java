package io.ringtable.broker.message;

/**
 * Makes text from outside fit to be shown to people: in a log line, a status, the description of an AMQP error.
 * <p>
 * Line breaks would forge lines of the log, control characters drive terminals, and overrides of the direction of writing show a name
 * as another; each becomes {@value #SUBSTITUTE}. Long text is cut, and what was cut is counted.
 * <p>
 * Thread: any.
 */
public final class Printable {
    /** Most characters of one value: a name, an id. */
    static final int VALUE_MAX = 200;

    /** Most characters of a whole sentence with several values. */
    static final int TEXT_MAX = 2_000;

    private static final char SUBSTITUTE = '?';

    private Printable() {}

    /** One value: a name, an id, a message of a library. */
    public static String value(Object value) {
        return of(String.valueOf(value), VALUE_MAX);
    }

    /** A whole sentence. */
    public static String text(String text) {
        return text == null ? null : of(text, TEXT_MAX);
    }

    private static String of(String text, int most) {
        String shown = text.length() <= most ? text : shortened(text, most);
        for (int i = 0; i < shown.length(); i++) {
            if (!isPrintable(shown, i)) {
                return cleaned(shown);
            }
        }
        return shown;
    }

    private static String shortened(String text, int most) {
        return text.substring(0, most) + "… (" + text.length() + " characters)";
    }

    private static String cleaned(String text) {
        StringBuilder clean = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            clean.append(isPrintable(text, i) ? text.charAt(i) : SUBSTITUTE);
        }
        return clean.toString();
    }

    private static boolean isPrintable(String text, int at) {
        char c = text.charAt(at);
        if (c >= ' ' && c < 0x7f) {
            return true;
        }
        if (Character.isHighSurrogate(c)) {
            return at + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(at + 1))
                    && isPrintable(text.codePointAt(at));
        }
        if (Character.isLowSurrogate(c)) {
            return at > 0 && Character.isHighSurrogate(text.charAt(at - 1)) && isPrintable(text.codePointAt(at - 1));
        }
        return isPrintable((int) c);
    }

    private static boolean isPrintable(int codePoint) {
        return switch (Character.getType(codePoint)) {
            // FORMAT holds the overrides of direction and what has no width.
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE -> false;
            default -> true;
        };
    }
}
