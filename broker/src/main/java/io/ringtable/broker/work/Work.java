package io.ringtable.broker.work;

import io.ringtable.broker.message.InboxSettlement;
import io.ringtable.broker.message.Message;
import java.util.List;
import java.util.Objects;

/**
 * What becomes durable together or not at all: messages and settlements of one transfer or one transaction.
 * <p>
 * Immutable. A place in its address's quota was reserved for every message before it is handed in; if the work is
 * refused the committer gives the places back.
 *
 * @param settlements of stored subscriptions
 * @param inboxIds rows of the inbox that the messages come from; deleted with the flush that claims them
 * @param inboxSettlements rows of the inbox that settle; deleted with the flush that writes them into the ledger
 * @param deduplication tells which messages are stored already: those are left out
 */
public record Work(
        List<Message> messages,
        List<Settle> settlements,
        List<Long> inboxIds,
        List<InboxSettlement> inboxSettlements,
        Deduplication deduplication,
        Completion completion) {

    public Work {
        Objects.requireNonNull(deduplication, "deduplication");
        Objects.requireNonNull(completion, "completion");
    }

    public Work(List<Message> messages, List<Settle> settlements, Completion completion) {
        this(messages, settlements, Deduplication.NONE, completion);
    }

    public Work(List<Message> messages, List<Settle> settlements, Deduplication deduplication, Completion completion) {
        this(messages, settlements, List.of(), List.of(), deduplication, completion);
    }

    public static Work publish(Message message, Completion completion) {
        return new Work(List.of(message), List.of(), completion);
    }

    public static Work publish(List<Message> messages, Completion completion) {
        return new Work(List.copyOf(messages), List.of(), completion);
    }

    /** What was collected from the inbox. @param ids of the rows that the messages come from */
    public static Work collected(
            List<Message> messages, List<Long> ids, List<InboxSettlement> settlements, Completion completion) {
        return new Work(
                List.copyOf(messages),
                List.of(),
                List.copyOf(ids),
                List.copyOf(settlements),
                Deduplication.NONE,
                completion);
    }

    public int bytes() {
        int bytes = 0;
        for (Message message : messages) {
            bytes += message.bytes();
        }
        return bytes;
    }
}
