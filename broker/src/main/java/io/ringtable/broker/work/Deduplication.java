package io.ringtable.broker.work;

import io.ringtable.broker.catalog.Producer;
import io.ringtable.broker.message.DuplicateId;
import java.util.List;
import java.util.Objects;

/**
 * Identifies messages that may be stored already: by the numbers of their producer, by duplicate ids, or by both.
 * <p>
 * Immutable.
 *
 * @param producer of all messages of the work; null = they have no numbers
 * @param first number of the first message; each further message has the next number
 * @param previous number of the last message that the producer sent before and that was not refused. If the last stored
 *     number differs, a message between was refused, and these wait until the producer knows
 * @param ids empty if no message has a duplicate id; else one for each message, null for those without
 */
public record Deduplication(Producer producer, long first, long previous, List<DuplicateId> ids) {

    /** Stores messages as often as they are sent. */
    public static final Deduplication NONE = new Deduplication(null, 0, 0, List.of());

    public Deduplication {
        Objects.requireNonNull(ids, "ids");
    }

    public static Deduplication ids(List<DuplicateId> ids) {
        return ids.isEmpty() ? NONE : new Deduplication(null, 0, 0, ids);
    }

    /** Returns the duplicate id of a message; null if it has none. */
    public DuplicateId id(int message) {
        return ids.isEmpty() ? null : ids.get(message);
    }
}
