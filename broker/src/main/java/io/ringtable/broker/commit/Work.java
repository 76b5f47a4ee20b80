package io.ringtable.broker.commit;

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
 */
public record Work(List<Message> messages, List<Settle> settlements, List<Long> inboxIds, Completion completion) {

    public Work {
        Objects.requireNonNull(completion, "completion");
    }

    public Work(List<Message> messages, List<Settle> settlements, Completion completion) {
        this(messages, settlements, List.of(), completion);
    }

    public static Work publish(Message message, Completion completion) {
        return new Work(List.of(message), List.of(), completion);
    }

    public static Work publish(List<Message> messages, Completion completion) {
        return new Work(List.copyOf(messages), List.of(), completion);
    }

    /** Messages collected from the inbox. */
    public static Work collected(List<Message> messages, List<Long> inboxIds, Completion completion) {
        return new Work(List.copyOf(messages), List.of(), List.copyOf(inboxIds), completion);
    }

    public int bytes() {
        int bytes = 0;
        for (Message message : messages) {
            bytes += message.bytes();
        }
        return bytes;
    }
}
