package io.ringtable.broker.amqp.encoding;

import io.ringtable.broker.dispatch.consumer.LetterOrigin;
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
    private static final byte[] CLIENT_ID = Sections.ascii(AmqpDeadLetterEncoder.CLIENT_ID);
    private static final byte[] SUBSCRIPTION = Sections.ascii(AmqpDeadLetterEncoder.SUBSCRIPTION);
    private static final byte[] REASON = Sections.ascii(AmqpDeadLetterEncoder.REASON);
    private static final byte[] COUNT = Sections.ascii(AmqpDeadLetterEncoder.COUNT);
    private static final byte[] TIME = Sections.ascii(AmqpDeadLetterEncoder.TIME);

    private DeadLetterOrigin() {}

    /** Returns the name of the address that the message came from; null if no policy moved the message. */
    public static String of(byte[] encoded) {
        try {
            Sections sections = annotations(encoded);
            return sections == null ? null : text(sections, ADDRESS, null);
        } catch (MalformedMessage e) {
            return null; // cannot happen: the broker checks every message before it stores it
        }
    }

    /** Returns all that the message says of its death; null if no policy moved the message. */
    static LetterOrigin letter(byte[] encoded) {
        try {
            Sections sections = annotations(encoded);
            String address = sections == null ? null : text(sections, ADDRESS, null);
            return address == null
                    ? null
                    : new LetterOrigin(
                            address,
                            text(sections, CLIENT_ID, null),
                            text(sections, SUBSCRIPTION, ""),
                            text(sections, REASON, ""),
                            (int) number(sections, COUNT),
                            number(sections, TIME));
        } catch (MalformedMessage e) {
            return null; // cannot happen: the broker checks every message before it stores it
        }
    }

    /** Returns the message's sections at the message annotations; null if it has none. */
    private static Sections annotations(byte[] encoded) throws MalformedMessage {
        Sections sections = new Sections().over(encoded, 0, encoded.length);
        while (sections.advance() && sections.code() <= Sections.MESSAGE_ANNOTATIONS) {
            if (sections.code() == Sections.MESSAGE_ANNOTATIONS) {
                return sections;
            }
        }
        return null;
    }

    private static String text(Sections annotations, byte[] key, String otherwise) throws MalformedMessage {
        int value = find(annotations, key);
        byte[] bytes = annotations.bytes();
        int start = value < 0 ? -1 : Encoding.textStart(bytes, value);
        return start < 0
                ? otherwise
                : new String(bytes, start, Encoding.textLength(bytes, value), StandardCharsets.UTF_8);
    }

    private static long number(Sections annotations, byte[] key) throws MalformedMessage {
        int value = find(annotations, key);
        return value < 0 ? 0 : Encoding.number(annotations.bytes(), value, annotations.next(), 0);
    }

    /** Returns where the value of an annotation begins; -1 if it is absent. */
    private static int find(Sections annotations, byte[] wanted) throws MalformedMessage {
        byte[] bytes = annotations.bytes();
        int key = annotations.first();
        for (int left = annotations.count(); left > 1; left -= 2) {
            int value = Encoding.skip(bytes, key, annotations.next());
            if (Encoding.textEquals(bytes, key, value, wanted)) {
                return value;
            }
            key = Encoding.skip(bytes, value, annotations.next());
        }
        return -1;
    }
}
