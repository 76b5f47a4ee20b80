package io.ringtable.broker.inspect;

import io.ringtable.broker.dispatch.explain.Reason;
import java.time.Instant;
import java.util.List;

/**
 * Tells the life of a message as far as it is known. Fields that are unknown are null.
 *
 * @param place ring or backlog
 * @param slot sequence mod capacity
 * @param lap sequence / capacity
 * @param gate below it messages lie in the backlog, or are over
 * @param next the number that the next message gets
 * @param body where the encoded message lies: row or overflow
 * @param user who published it, if its user-id says so
 * @param trace its {@code traceparent}
 * @param owedBy who owed it when it was published, or in the backlog when it was moved there
 * @param settledBy those of them that owe it no more
 * @param owing those that still owe it, with what each waits for
 */
public record MessageExplanation(
        long sequence,
        String address,
        String place,
        long slot,
        long lap,
        long gate,
        long next,
        Instant publishedAt,
        Instant expiresAt,
        Instant deliverAt,
        int priority,
        long bytes,
        String body,
        String messageId,
        String user,
        String groupId,
        String trace,
        List<Reader> owedBy,
        List<Reader> settledBy,
        List<Debt> owing) {

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
