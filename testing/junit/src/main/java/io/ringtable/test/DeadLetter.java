package io.ringtable.test;

import io.ringtable.wire.MalformedMessage;
import io.ringtable.wire.SectionDecoder;
import io.ringtable.wire.Sections;
import java.util.Map;
import org.apache.qpid.protonj2.types.Symbol;
import org.apache.qpid.protonj2.types.messaging.MessageAnnotations;

/**
 * Shows a message that the broker has moved to the dead-letter queue.
 *
 * @param message the message, as its publisher sent it
 * @param from name of the address where delivery failed, without its kind
 * @param reason for people: what the consumer said, or how often delivery failed
 * @param deliveries how often delivery failed; 0 if a consumer rejected the message at once
 */
public record DeadLetter(PublishedMessage message, String from, String reason, int deliveries) {
    private static final String PREFIX = "x-opt-ringtable-dead-letter-";

    /** Reads the annotations that the broker gives a dead letter; null if the message is none. */
    static DeadLetter of(PublishedMessage message) {
        Map<Symbol, Object> annotations = annotations(message.encoded());
        Object from = annotations.get(Symbol.valueOf(PREFIX + "address"));
        if (from == null) {
            return null;
        }
        Object count = annotations.get(Symbol.valueOf(PREFIX + "count"));
        return new DeadLetter(
                message,
                from.toString(),
                String.valueOf(annotations.get(Symbol.valueOf(PREFIX + "reason"))),
                count instanceof Number number ? number.intValue() : 0);
    }

    private static Map<Symbol, Object> annotations(byte[] encoded) {
        try {
            Sections sections = new Sections().over(encoded, 0, encoded.length);
            while (sections.advance()) {
                if (sections.code() == Sections.MESSAGE_ANNOTATIONS) {
                    return ((MessageAnnotations) new SectionDecoder().decode(sections)).getValue();
                }
            }
            return Map.of();
        } catch (MalformedMessage e) {
            throw new IllegalStateException("the broker has stored what is no message", e);
        }
    }
}
