package io.ringtable.broker.work;

import io.ringtable.broker.catalog.Subscription;
import io.ringtable.broker.message.InboxSettlement;
import io.ringtable.broker.message.Message;
import java.util.List;
import java.util.Objects;

/**
 * Combines messages and settlements of one transfer or one transaction: they become durable together or not at all.
 * <p>
 * Immutable. The publisher's side reserves a place in the address's quota for every message before it hands the work
 * in. If the work is refused, the committer gives the places back.
 *
 * @param settlements of stored subscriptions
 * @param inboxIds rows of the inbox that hold the messages; deleted with the flush that claims them
 * @param inboxSettlements rows of the inbox that settle; deleted with the flush that writes them into the ledger
 * @param deduplication identifies messages that are stored already: the committer leaves those out
 * @param recipient the one stored subscription that gets the messages, all of its address; nobody else of the address
 *     hears of them. Null = everybody who wants them
 */
public record Work(
        List<Message> messages,
        List<Settle> settlements,
        List<Long> inboxIds,
        List<InboxSettlement> inboxSettlements,
        Deduplication deduplication,
        Subscription recipient,
        Completion completion) {

    public Work {
        Objects.requireNonNull(deduplication, "deduplication");
        Objects.requireNonNull(completion, "completion");
    }

    public Work(List<Message> messages, List<Settle> settlements, Completion completion) {
        this(messages, settlements, Deduplication.NONE, completion);
    }

    public Work(List<Message> messages, List<Settle> settlements, Deduplication deduplication, Completion completion) {
        this(messages, settlements, List.of(), List.of(), deduplication, null, completion);
    }

    /** Combines a message for one subscription with settlements. @param recipient null = everybody who wants it */
    public static Work moved(Message message, Subscription recipient, List<Settle> settlements, Completion completion) {
        return new Work(List.of(message), settlements, List.of(), List.of(), Deduplication.NONE, recipient, completion);
    }

    public static Work publish(Message message, Completion completion) {
        return new Work(List.of(message), List.of(), completion);
    }

    public static Work publish(List<Message> messages, Completion completion) {
        return new Work(List.copyOf(messages), List.of(), completion);
    }

    /**
     * Combines what the broker collected from the inbox.
     *
     * @param ids of the rows that hold the messages
     */
    public static Work collected(
            List<Message> messages, List<Long> ids, List<InboxSettlement> settlements, Completion completion) {
        return new Work(
                List.copyOf(messages),
                List.of(),
                List.copyOf(ids),
                List.copyOf(settlements),
                Deduplication.NONE,
                null,
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
