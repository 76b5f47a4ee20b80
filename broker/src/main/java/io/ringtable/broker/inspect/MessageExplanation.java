package io.ringtable.broker.inspect;

import io.ringtable.broker.dispatch.explain.Reason;
import java.time.Instant;
import java.util.List;

/**
 * Tells the life of a message as far as it is known. Fields that are unknown are null.
 *
 * @param sequence its number in the shard, or that which its volatile subscription gave it
 * @param shard that has it, where the node has several; else null
 * @param subscription id of that subscription; null if the message is stored
 * @param place ring, backlog or memory
 * @param slot sequence mod capacity; null if the message is not stored, as the next four
 * @param lap sequence / capacity
 * @param gate below it messages lie in the backlog, or are over
 * @param next the number that the next message gets
 * @param flush that made the message durable; null as well if the broker does not remember it, as after a restart
 * @param body where the encoded message lies: row, overflow or memory
 * @param login user who logged in to publish it
 * @param publishedBy that login in words, or who else it was
 * @param claim what the message's user-id says, where it is another name: nobody has checked it
 * @param trace its {@code traceparent}
 * @param owedBy who owed it when it was published, or in the backlog when it was moved there
 * @param settledBy those of them that owe it no more
 * @param owing those that still owe it, with what each waits for
 */
public record MessageExplanation(
        long sequence,
        Integer shard,
        Long subscription,
        String address,
        String place,
        Long slot,
        Long lap,
        Long gate,
        Long next,
        Flushed flush,
        Instant publishedAt,
        String login,
        String publishedBy,
        String claim,
        Instant expiresAt,
        Instant deliverAt,
        int priority,
        long bytes,
        String body,
        String messageId,
        String groupId,
        String trace,
        List<Reader> owedBy,
        List<Reader> settledBy,
        List<Debt> owing) {

    /** Returns the same life, and says in which shard the message is. */
    public MessageExplanation in(int itsShard) {
        return new MessageExplanation(
                sequence,
                itsShard,
                subscription,
                address,
                place,
                slot,
                lap,
                gate,
                next,
                flush,
                publishedAt,
                login,
                publishedBy,
                claim,
                expiresAt,
                deliverAt,
                priority,
                bytes,
                body,
                messageId,
                groupId,
                trace,
                owedBy,
                settledBy,
                owing);
    }

    /**
     * Tells of a flush, whose messages became durable together.
     *
     * @param first the lowest sequence of its messages
     * @param last the highest
     * @param storeMs how long the store took
     */
    public record Flushed(long first, long last, Instant durableAt, double storeMs) {}

    /**
     * Names a subscription.
     *
     * @param subscription its id; null if it is gone
     */
    public record Reader(Long subscription, String name) {}

    /**
     * Tells how a subscription that owes the message stands to it.
     *
     * @param text why the message is not given now, in one sentence
     * @param until when that ends by itself
     * @param failures failed deliveries so far
     * @param heldBy who has the message now
     */
    public record Debt(
            long subscription,
            String name,
            Reason reason,
            String text,
            String cure,
            Instant until,
            int failures,
            String heldBy) {}
}
