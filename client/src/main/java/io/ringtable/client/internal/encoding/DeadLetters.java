package io.ringtable.client.internal.encoding;

import io.ringtable.client.ReceivedMessage.DeadLetter;
import java.time.Instant;
import java.util.Date;
import java.util.Map;
import java.util.Optional;
import org.apache.qpid.protonj2.types.Symbol;

/**
 * Reads the annotations that the broker writes on a dead letter; docs/protocol.md describes them. An annotation of
 * another type than the broker's counts as absent.
 */
final class DeadLetters {
    private static final String PREFIX = "x-opt-ringtable-dead-letter-";
    private static final Symbol ADDRESS = Symbol.valueOf(PREFIX + "address");
    private static final Symbol SUBSCRIPTION = Symbol.valueOf(PREFIX + "subscription");
    private static final Symbol REASON = Symbol.valueOf(PREFIX + "reason");
    private static final Symbol COUNT = Symbol.valueOf(PREFIX + "count");
    private static final Symbol TIME = Symbol.valueOf(PREFIX + "time");

    private DeadLetters() {}

    /** @return null if the broker has not written them */
    static DeadLetter read(Map<Symbol, Object> annotations) {
        if (annotations == null || !(annotations.get(ADDRESS) instanceof String address)) {
            return null;
        }
        return new DeadLetter(
                address,
                Optional.ofNullable(text(annotations.get(SUBSCRIPTION))),
                Optional.ofNullable(text(annotations.get(REASON))).orElse(""),
                annotations.get(COUNT) instanceof Number count ? count.intValue() : 0,
                time(annotations.get(TIME)));
    }

    private static String text(Object value) {
        return value instanceof String text ? text : null;
    }

    private static Instant time(Object value) {
        if (value instanceof Date date) {
            return date.toInstant();
        }
        return value instanceof Long milliseconds ? Instant.ofEpochMilli(milliseconds) : Instant.EPOCH;
    }
}
