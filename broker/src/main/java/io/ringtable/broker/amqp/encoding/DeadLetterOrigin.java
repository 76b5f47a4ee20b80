package io.ringtable.broker.amqp.encoding;

import io.ringtable.wire.Encoding;
import io.ringtable.wire.MalformedMessage;
import io.ringtable.wire.Sections;
import java.nio.charset.StandardCharsets;

/**
 * Reads where a dead letter, or an expired message, came from.
 * <p>
 * Thread: any; holds nothing.
 */
public final class DeadLetterOrigin {
    private static final byte[] ADDRESS = Sections.ascii(AmqpDeadLetterEncoder.ADDRESS);

    private DeadLetterOrigin() {}

    /** Returns the name of the address that the message came from; null if no policy moved the message. */
    public static String of(byte[] encoded) {
        try {
            Sections sections = new Sections().over(encoded, 0, encoded.length);
            while (sections.advance() && sections.code() <= Sections.MESSAGE_ANNOTATIONS) {
                if (sections.code() == Sections.MESSAGE_ANNOTATIONS) {
                    return ofAnnotations(sections);
                }
            }
            return null;
        } catch (MalformedMessage e) {
            return null; // cannot happen: the broker checks every message before it stores it
        }
    }

    private static String ofAnnotations(Sections sections) throws MalformedMessage {
        byte[] bytes = sections.bytes();
        int key = sections.first();
        for (int left = sections.count(); left > 1; left -= 2) {
            int value = Encoding.skip(bytes, key, sections.next());
            int after = Encoding.skip(bytes, value, sections.next());
            if (Encoding.textEquals(bytes, key, value, ADDRESS)) {
                int start = Encoding.textStart(bytes, value);
                return start < 0
                        ? null
                        : new String(bytes, start, Encoding.textLength(bytes, value), StandardCharsets.UTF_8);
            }
            key = after;
        }
        return null;
    }
}
