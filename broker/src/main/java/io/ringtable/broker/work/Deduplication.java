package io.ringtable.broker.work;

import io.ringtable.broker.catalog.Producer;
import io.ringtable.broker.message.DuplicateId;
import java.util.List;
import java.util.Objects;

/**
 * Tells messages of a work that are stored already: by numbers that their producer gave them, by ids that they carry, or both.
 * <p>
 * Immutable.
 *
 * @param producer whose messages they are, all of the work; null = they have no numbers
 * @param first number of the first message; each further one has the next
 * @param previous number of the message that the producer sent before and that was not refused: if another one is the last that is
 *     stored, one between them was refused and these wait until the producer knows
 * @param ids empty if no message has one; else one for each message, null for those without
 */
public record Deduplication(Producer producer, long first, long previous, List<DuplicateId> ids) {

    /** They are stored as often as they are sent. */
    public static final Deduplication NONE = new Deduplication(null, 0, 0, List.of());

    public Deduplication {
        Objects.requireNonNull(ids, "ids");
    }

    public static Deduplication ids(List<DuplicateId> ids) {
        return ids.isEmpty() ? NONE : new Deduplication(null, 0, 0, ids);
    }

    /** Null if the message has none. */
    public DuplicateId id(int message) {
        return ids.isEmpty() ? null : ids.get(message);
    }
}
